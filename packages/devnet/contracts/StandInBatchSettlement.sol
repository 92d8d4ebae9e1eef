// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// Moves a deposit from the payer to its caller, by whatever the payer has signed.
interface IDepositCollector {
    function collect(
        address payer,
        address token,
        uint256 amount,
        bytes32 channelId,
        bytes calldata collectorData
    ) external;
}

/**
 * @title A stand-in for the payment channels of the scheme `batch-settlement` on a local chain
 * @notice Has the published contract's functions, events, errors and rules, written from their
 * description, so that stock clients work with it at the canonical address. It is NOT the published
 * contract: its code is another one, and it must never hold value.
 *
 * A channel's `balance` is all that was deposited and not given back. A claim leaves it as it is and
 * raises `totalClaimed`, so that what remains for the payer is the difference of the two.
 *
 * There is no constructor: the runtime code is placed at the address, and all zeros must mean a fresh
 * and working contract.
 */
contract StandInBatchSettlement {
    using SafeERC20 for IERC20;

    struct ChannelConfig {
        address payer;
        address payerAuthorizer;
        address receiver;
        address receiverAuthorizer;
        address token;
        uint40 withdrawDelay;
        bytes32 salt;
    }

    struct Voucher {
        ChannelConfig channel;
        uint128 maxClaimableAmount;
    }

    struct VoucherClaim {
        Voucher voucher;
        bytes signature;
        uint128 totalClaimed;
    }

    struct Channel {
        uint128 balance;
        uint128 totalClaimed;
    }

    struct Withdrawal {
        uint128 amount;
        uint40 initiatedAt;
    }

    struct Receiver {
        uint128 totalClaimed;
        uint128 totalSettled;
    }

    uint40 public constant MIN_WITHDRAW_DELAY = 15 minutes;
    uint40 public constant MAX_WITHDRAW_DELAY = 30 days;

    bytes32 public constant CHANNEL_CONFIG_TYPEHASH = keccak256(
        "ChannelConfig(address payer,address payerAuthorizer,address receiver,"
        "address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)"
    );
    bytes32 public constant VOUCHER_TYPEHASH =
        keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
    bytes32 public constant REFUND_TYPEHASH =
        keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
    bytes32 public constant CLAIM_ENTRY_TYPEHASH = keccak256(
        "ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"
    );
    bytes32 public constant CLAIM_BATCH_TYPEHASH = keccak256(
        "ClaimBatch(ClaimEntry[] claims)"
        "ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"
    );
    bytes32 private constant DOMAIN_TYPEHASH = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );

    mapping(bytes32 channelId => Channel) public channels;
    mapping(bytes32 channelId => Withdrawal) public pendingWithdrawals;
    mapping(bytes32 channelId => uint256) public refundNonce;
    mapping(address receiver => mapping(address token => Receiver)) public receivers;
    bool private transient _entered;

    event ChannelCreated(bytes32 indexed channelId, ChannelConfig config);
    event ChannelClosed(bytes32 indexed channelId, ChannelConfig config);
    event Deposited(
        bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance
    );
    event Claimed(
        bytes32 indexed channelId,
        address indexed sender,
        uint128 claimAmount,
        uint128 newTotalClaimed
    );
    event Settled(
        address indexed receiver, address indexed token, address indexed sender, uint128 amount
    );
    event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
    event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter);
    event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

    error InvalidChannel();
    error ZeroDeposit();
    error DepositOverflow();
    error InvalidSignature();
    error NotReceiverAuthorizer();
    error NotAuthorizedToClaim();
    error NotAuthorizedToRefund();
    error ClaimExceedsCeiling();
    error ClaimExceedsBalance();
    error WithdrawalAlreadyPending();
    error WithdrawalNotPending();
    error NotAuthorizedToFinalizeWithdraw();
    error WithdrawDelayNotElapsed();
    error NothingToWithdraw();
    error WithdrawAmountExceedsAvailable();
    error WithdrawDelayOutOfRange();
    error EmptyBatch();
    error DepositCollectionFailed();
    error InvalidCollector();
    error InvalidRefundNonce();
    error ZeroRefund();
    /// The stand-in's own; whoever calls back into it gets no further than this.
    error Reentered();

    modifier once() {
        if (_entered) revert Reentered();
        _entered = true;
        _;
        _entered = false;
    }

    /// Several calls in one transaction. Each keeps the sender, so it may do what it may do alone.
    function multicall(bytes[] calldata data) external returns (bytes[] memory results) {
        results = new bytes[](data.length);
        for (uint256 index = 0; index < data.length; ++index) {
            (bool succeeded, bytes memory result) = address(this).delegatecall(data[index]);
            if (!succeeded) {
                assembly ("memory-safe") {
                    revert(add(result, 32), mload(result))
                }
            }
            results[index] = result;
        }
    }

    function deposit(
        ChannelConfig calldata config,
        uint128 amount,
        address collector,
        bytes calldata collectorData
    ) external once {
        _requireValidConfig(config);
        if (amount == 0) revert ZeroDeposit();
        if (collector == address(0)) revert InvalidCollector();
        bytes32 channelId = getChannelId(config);
        Channel storage channel = channels[channelId];
        if (channel.balance > type(uint128).max - amount) revert DepositOverflow();
        IERC20 token = IERC20(config.token);
        uint256 before = token.balanceOf(address(this));
        IDepositCollector(collector).collect(
            config.payer, config.token, amount, channelId, collectorData
        );
        if (token.balanceOf(address(this)) != before + amount) revert DepositCollectionFailed();
        if (channel.balance == 0) emit ChannelCreated(channelId, config);
        channel.balance += amount;
        emit Deposited(channelId, msg.sender, amount, channel.balance);
    }

    function claim(VoucherClaim[] calldata voucherClaims) external once {
        if (voucherClaims.length == 0) revert EmptyBatch();
        for (uint256 index = 0; index < voucherClaims.length; ++index) {
            ChannelConfig calldata config = voucherClaims[index].voucher.channel;
            if (msg.sender != config.receiver && msg.sender != config.receiverAuthorizer) {
                revert NotAuthorizedToClaim();
            }
            _claimRow(voucherClaims[index]);
        }
    }

    function claimWithSignature(
        VoucherClaim[] calldata voucherClaims,
        bytes calldata authorizerSignature
    ) external once {
        if (voucherClaims.length == 0) revert EmptyBatch();
        address authorizer = voucherClaims[0].voucher.channel.receiverAuthorizer;
        _requireSigned(authorizer, getClaimBatchDigest(voucherClaims), authorizerSignature);
        for (uint256 index = 0; index < voucherClaims.length; ++index) {
            if (voucherClaims[index].voucher.channel.receiverAuthorizer != authorizer) {
                revert NotReceiverAuthorizer();
            }
            _claimRow(voucherClaims[index]);
        }
    }

    /// Does nothing where nothing is due.
    function settle(address receiver, address token) external once {
        Receiver storage sums = receivers[receiver][token];
        uint128 due = sums.totalClaimed - sums.totalSettled;
        if (due > 0) {
            sums.totalSettled += due;
            IERC20(token).safeTransfer(receiver, due);
            emit Settled(receiver, token, msg.sender, due);
        }
    }

    function refund(ChannelConfig calldata config, uint128 amount) external once {
        if (msg.sender != config.receiver && msg.sender != config.receiverAuthorizer) {
            revert NotAuthorizedToRefund();
        }
        _refund(config, getChannelId(config), amount);
    }

    function refundWithSignature(
        ChannelConfig calldata config,
        uint128 amount,
        uint256 nonce,
        bytes calldata receiverAuthorizerSignature
    ) external once {
        bytes32 channelId = getChannelId(config);
        if (nonce != refundNonce[channelId]) revert InvalidRefundNonce();
        bytes32 digest = getRefundDigest(channelId, nonce, amount);
        _requireSigned(config.receiverAuthorizer, digest, receiverAuthorizerSignature);
        _refund(config, channelId, amount);
    }

    function initiateWithdraw(ChannelConfig calldata config, uint128 amount) external once {
        if (!_isPayer(config)) revert InvalidChannel();
        if (amount == 0) revert NothingToWithdraw();
        bytes32 channelId = getChannelId(config);
        if (pendingWithdrawals[channelId].amount > 0) revert WithdrawalAlreadyPending();
        if (amount > _available(channelId)) revert WithdrawAmountExceedsAvailable();
        uint40 now_ = uint40(block.timestamp);
        pendingWithdrawals[channelId] = Withdrawal({amount: amount, initiatedAt: now_});
        emit WithdrawInitiated(channelId, amount, now_ + config.withdrawDelay);
    }

    /// What was claimed since the withdrawal began is not given back.
    function finalizeWithdraw(ChannelConfig calldata config) external once {
        if (!_isPayer(config)) revert NotAuthorizedToFinalizeWithdraw();
        bytes32 channelId = getChannelId(config);
        Withdrawal memory pending = pendingWithdrawals[channelId];
        if (pending.amount == 0) revert WithdrawalNotPending();
        if (block.timestamp < uint256(pending.initiatedAt) + config.withdrawDelay) {
            revert WithdrawDelayNotElapsed();
        }
        delete pendingWithdrawals[channelId];
        uint128 returned = _giveBack(config, channelId, pending.amount);
        emit WithdrawFinalized(channelId, msg.sender, returned);
        _closeIfEmpty(config, channelId);
    }

    // What the contract says of a channel and what is to be signed.

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPEHASH,
                keccak256("x402 Batch Settlement"),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
    }

    /// The domain of EIP-5267, by which wallets and checks recognise the contract.
    function eip712Domain()
        external
        view
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        return (
            0x0f, "x402 Batch Settlement", "1", block.chainid, address(this), 0, new uint256[](0)
        );
    }

    function getChannelId(ChannelConfig calldata config) public view returns (bytes32) {
        return _digest(keccak256(abi.encode(CHANNEL_CONFIG_TYPEHASH, config)));
    }

    function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount)
        public
        view
        returns (bytes32)
    {
        return _digest(keccak256(abi.encode(VOUCHER_TYPEHASH, channelId, maxClaimableAmount)));
    }

    function getRefundDigest(bytes32 channelId, uint256 nonce, uint128 amount)
        public
        view
        returns (bytes32)
    {
        return _digest(keccak256(abi.encode(REFUND_TYPEHASH, channelId, nonce, amount)));
    }

    function getClaimBatchDigest(VoucherClaim[] calldata voucherClaims)
        public
        view
        returns (bytes32)
    {
        bytes32[] memory entries = new bytes32[](voucherClaims.length);
        for (uint256 index = 0; index < voucherClaims.length; ++index) {
            VoucherClaim calldata row = voucherClaims[index];
            entries[index] = keccak256(
                abi.encode(
                    CLAIM_ENTRY_TYPEHASH,
                    getChannelId(row.voucher.channel),
                    row.voucher.maxClaimableAmount,
                    row.totalClaimed
                )
            );
        }
        bytes32 root = keccak256(abi.encodePacked(entries));
        return _digest(keccak256(abi.encode(CLAIM_BATCH_TYPEHASH, root)));
    }

    function _digest(bytes32 structHash) private view returns (bytes32) {
        return keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), structHash));
    }

    function _requireValidConfig(ChannelConfig calldata config) private pure {
        if (
            config.payer == address(0) || config.receiver == address(0)
                || config.receiverAuthorizer == address(0) || config.token == address(0)
        ) revert InvalidChannel();
        if (
            config.withdrawDelay < MIN_WITHDRAW_DELAY || config.withdrawDelay > MAX_WITHDRAW_DELAY
        ) revert WithdrawDelayOutOfRange();
    }

    function _isPayer(ChannelConfig calldata config) private view returns (bool) {
        return msg.sender == config.payer || msg.sender == config.payerAuthorizer;
    }

    function _requireSigned(address signer, bytes32 digest, bytes calldata signature) private view {
        if (!SignatureChecker.isValidSignatureNow(signer, digest, signature)) {
            revert InvalidSignature();
        }
    }

    /// A row that claims nothing new is left out, so that a batch may be repeated.
    function _claimRow(VoucherClaim calldata row) private {
        ChannelConfig calldata config = row.voucher.channel;
        bytes32 channelId = getChannelId(config);
        Channel storage channel = channels[channelId];
        if (row.totalClaimed <= channel.totalClaimed) return;
        if (row.totalClaimed > row.voucher.maxClaimableAmount) revert ClaimExceedsCeiling();
        if (row.totalClaimed > channel.balance) revert ClaimExceedsBalance();
        _requireVoucherSigned(
            config, getVoucherDigest(channelId, row.voucher.maxClaimableAmount), row.signature
        );
        uint128 claimed = row.totalClaimed - channel.totalClaimed;
        channel.totalClaimed = row.totalClaimed;
        receivers[config.receiver][config.token].totalClaimed += claimed;
        emit Claimed(channelId, msg.sender, claimed, row.totalClaimed);
    }

    /// Where an authorizer is named, only its key counts, whatever code stands at its address.
    function _requireVoucherSigned(
        ChannelConfig calldata config,
        bytes32 digest,
        bytes calldata signature
    ) private view {
        if (config.payerAuthorizer == address(0)) {
            return _requireSigned(config.payer, digest, signature);
        }
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(digest, signature);
        if (problem != ECDSA.RecoverError.NoError || signer != config.payerAuthorizer) {
            revert InvalidSignature();
        }
    }

    /// The nonce rises before anything else, so that no signature is good for two refunds.
    function _refund(ChannelConfig calldata config, bytes32 channelId, uint128 amount) private {
        if (amount == 0) revert ZeroRefund();
        refundNonce[channelId] += 1;
        uint128 returned = _giveBack(config, channelId, amount);
        if (returned == 0) return;
        // What was refunded is no longer to be withdrawn, whatever else is left.
        Withdrawal storage pending = pendingWithdrawals[channelId];
        if (pending.amount <= returned) delete pendingWithdrawals[channelId];
        else pending.amount -= returned;
        emit Refunded(channelId, msg.sender, returned);
        _closeIfEmpty(config, channelId);
    }

    /// Sends the payer at most what nobody has claimed; returns how much that was.
    function _giveBack(ChannelConfig calldata config, bytes32 channelId, uint128 amount)
        private
        returns (uint128 returned)
    {
        uint128 available = _available(channelId);
        returned = amount < available ? amount : available;
        if (returned == 0) return 0;
        channels[channelId].balance -= returned;
        IERC20(config.token).safeTransfer(config.payer, returned);
    }

    function _closeIfEmpty(ChannelConfig calldata config, bytes32 channelId) private {
        if (channels[channelId].balance == 0) emit ChannelClosed(channelId, config);
    }

    function _available(bytes32 channelId) private view returns (uint128) {
        Channel storage channel = channels[channelId];
        return channel.balance - channel.totalClaimed;
    }
}
