// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {IERC3009, IERC3009Cancel} from "@openzeppelin/contracts/interfaces/draft-IERC3009.sol";
import {SignatureCheck} from "./SignatureCheck.sol";

/**
 * @title A stand-in for USDC (FiatTokenV2_2) on a local chain
 * @notice Answers every call a payment can make as the real token does: the same order of checks,
 * the same revert strings, the same events in the same order. It is NOT the real token and must
 * never hold value: `mint`, `pause`, `unpause`, `blacklist`, `unBlacklist` and `rename` are test
 * controls which anybody may call.
 *
 * Left out: roles, permit, increaseAllowance. Like the real token it stands behind a proxy and has
 * its check of signatures in a library of its own, so that a payment takes as much gas. Checked
 * beside Circle's contracts (stablecoin-evm, FiatTokenV2_2 behind FiatTokenProxy, solc 0.6.12): the
 * cases of the tests end alike on both, and a payment takes 86,460 gas here and 86,240 there, one
 * of a batch of 50 to one payee 51,860 and 51,620.
 *
 * There is no constructor. The runtime code is placed at a fixed address and reached through
 * StandInUsdcProxy, whose storage is empty but for the proxy's two slots: all zeros must mean a
 * fresh and working token.
 */
contract StandInUsdc is IERC20Metadata, IERC3009, IERC3009Cancel {
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,"
        "uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,"
        "uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
    bytes32 private constant DOMAIN_TYPEHASH = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );

    /// The real token keeps the blacklist flag in bit 255 of the balance word, and so does this.
    uint256 private constant BLACKLISTED = 1 << 255;

    mapping(address account => uint256) private _balanceWords;
    mapping(address owner => mapping(address spender => uint256)) private _allowances;
    mapping(address authorizer => mapping(bytes32 nonce => bool)) private _authorizationStates;
    uint256 public totalSupply;
    bool public paused;
    /// Empty stands for "USDC": see `name`.
    string private _name;

    event Pause();
    event Unpause();
    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);
    event Mint(address indexed minter, address indexed to, uint256 amount);

    modifier whenNotPaused() {
        require(!paused, "Pausable: paused");
        _;
    }

    modifier notBlacklisted(address account) {
        require(!isBlacklisted(account), "Blacklistable: account is blacklisted");
        _;
    }

    // What the token says about itself.

    function name() public view returns (string memory) {
        return bytes(_name).length == 0 ? "USDC" : _name;
    }

    function symbol() external pure returns (string memory) {
        return "USDC";
    }

    function decimals() external pure returns (uint8) {
        return 6;
    }

    function version() public pure returns (string memory) {
        return "2";
    }

    /// Computed on each call, as in the real token: a new name or chain id changes it at once.
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPEHASH,
                keccak256(bytes(name())),
                keccak256(bytes(version())),
                block.chainid,
                address(this)
            )
        );
    }

    function balanceOf(address account) public view returns (uint256) {
        return _balanceWords[account] & ~BLACKLISTED;
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return _allowances[owner][spender];
    }

    /// The token itself counts as blacklisted, so that nobody pays the contract by mistake.
    function isBlacklisted(address account) public view returns (bool) {
        return account == address(this) || _balanceWords[account] & BLACKLISTED != 0;
    }

    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
        return _authorizationStates[authorizer][nonce];
    }

    /// EIP-2612's counter, which clients read to learn what a token can do. Permits are left out, so
    /// nobody's has moved.
    function nonces(address) external pure returns (uint256) {
        return 0;
    }

    // Ordinary ERC-20.

    function transfer(address to, uint256 value)
        external
        whenNotPaused
        notBlacklisted(msg.sender)
        notBlacklisted(to)
        returns (bool)
    {
        _transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value)
        external
        whenNotPaused
        notBlacklisted(msg.sender)
        notBlacklisted(from)
        notBlacklisted(to)
        returns (bool)
    {
        uint256 allowed = _allowances[from][msg.sender];
        require(value <= allowed, "ERC20: transfer amount exceeds allowance");
        _transfer(from, to, value);
        // Also an allowance of 2^256-1 is used up: the real token knows no unlimited allowance.
        _allowances[from][msg.sender] = allowed - value;
        return true;
    }

    function approve(address spender, uint256 value) external whenNotPaused returns (bool) {
        require(spender != address(0), "ERC20: approve to the zero address");
        _allowances[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    // EIP-3009, each function in its two forms: (v, r, s) and bytes.

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        transferWithAuthorization(
            from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v)
        );
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public whenNotPaused notBlacklisted(from) notBlacklisted(to) {
        _requireValidAuthorization(from, nonce, validAfter, validBefore);
        bytes memory message = abi.encode(
            TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce
        );
        _requireValidSignature(from, keccak256(message), signature);
        _useAuthorization(from, to, value, nonce);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        receiveWithAuthorization(
            from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v)
        );
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public whenNotPaused notBlacklisted(from) notBlacklisted(to) {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        _requireValidAuthorization(from, nonce, validAfter, validBefore);
        bytes memory message = abi.encode(
            RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce
        );
        _requireValidSignature(from, keccak256(message), signature);
        _useAuthorization(from, to, value, nonce);
    }

    function cancelAuthorization(
        address authorizer,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature)
        public
        whenNotPaused
    {
        _requireUnusedAuthorization(authorizer, nonce);
        bytes memory message = abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce);
        _requireValidSignature(authorizer, keccak256(message), signature);
        _authorizationStates[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    // Test controls. The real token asks for a role here; the stand-in asks nothing.

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        _setBalance(to, balanceOf(to) + amount);
        emit Mint(msg.sender, to, amount);
        emit Transfer(address(0), to, amount);
    }

    function pause() external {
        paused = true;
        emit Pause();
    }

    function unpause() external {
        paused = false;
        emit Unpause();
    }

    function blacklist(address account) external {
        _balanceWords[account] |= BLACKLISTED;
        emit Blacklisted(account);
    }

    /// Has no effect on the token's own address, which stays blacklisted.
    function unBlacklist(address account) external {
        _balanceWords[account] &= ~BLACKLISTED;
        emit UnBlacklisted(account);
    }

    /// Changes the domain separator, as a rename by the issuer would. Empty restores "USDC".
    function rename(string calldata newName) external {
        _name = newName;
    }

    function _requireValidAuthorization(
        address authorizer,
        bytes32 nonce,
        uint256 validAfter,
        uint256 validBefore
    ) private view {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        _requireUnusedAuthorization(authorizer, nonce);
    }

    function _requireUnusedAuthorization(address authorizer, bytes32 nonce) private view {
        require(
            !_authorizationStates[authorizer][nonce],
            "FiatTokenV2: authorization is used or canceled"
        );
    }

    function _requireValidSignature(address signer, bytes32 structHash, bytes memory signature)
        private
        view
    {
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), structHash));
        require(
            SignatureCheck.isSignedBy(signer, digest, signature), "FiatTokenV2: invalid signature"
        );
    }

    function _useAuthorization(address from, address to, uint256 value, bytes32 nonce) private {
        _authorizationStates[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    function _transfer(address from, address to, uint256 value) private {
        require(from != address(0), "ERC20: transfer from the zero address");
        require(to != address(0), "ERC20: transfer to the zero address");
        require(value <= balanceOf(from), "ERC20: transfer amount exceeds balance");
        _setBalance(from, balanceOf(from) - value);
        _setBalance(to, balanceOf(to) + value);
        emit Transfer(from, to, value);
    }

    function _setBalance(address account, uint256 units) private {
        require(units < BLACKLISTED, "FiatTokenV2_2: Balance exceeds (2^255 - 1)");
        require(!isBlacklisted(account), "FiatTokenV2_2: Account is blacklisted");
        _balanceWords[account] = units;
    }
}
