// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// One payment to look at.
struct Check {
    address payer;
    bytes32 nonce;
    /// Complete calldata of the token's `transferWithAuthorization`.
    bytes call;
}

/// What the chain says about it, all of it at one and the same block.
struct Result {
    /// Bytes of code at the payer: zero for a plain account or a wallet not yet deployed.
    uint256 codeSize;
    uint256 balance;
    /// The token's `authorizationState`: used or canceled.
    bool used;
    /// Whether the transfer would go through.
    bool success;
    /// What the transfer reverted with, at most 256 bytes. Empty beside `success == false` means
    /// that the call ran out of its gas, which in practice is the payer's contract wallet.
    bytes returnData;
}

interface IToken {
    function balanceOf(address account) external view returns (uint256);
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool);
}

/**
 * @title Reads and simulates many payments in one `eth_call`, with nothing deployed
 * @notice Send the creation code followed by the encoded constructor arguments in an `eth_call`
 * without `to`. The answer is `abi.encode(block.number, block.timestamp, results)`, the results in
 * the order of the checks. No check sees what another one did or can spoil it: each transfer runs
 * in a frame that is always reverted, under its own gas cap, and returns a bounded answer.
 *
 * Limits of one read, all of them rules of the EVM for a contract creation:
 * - at most 50 checks: an answer above 24,576 bytes (EIP-170) fails the whole read; it has 128
 *   bytes and up to 480 for each check;
 * - creation code and arguments together at most 49,152 bytes (EIP-3860): about 85 checks with
 *   65-byte signatures, fewer when contract wallets sign at length;
 * - gas: 200 per byte of the answer, and `gasCap` for every wallet that burns all it gets.
 *
 * The read reverts with `NotEnoughGas` rather than give a check less than `gasCap`, since a payment
 * refused for the caller's lack of gas would be a wrong verdict.
 */
contract PaymentReader {
    error NotEnoughGas();

    constructor(address token, uint256 gasCap, Check[] memory checks) {
        address simulator = address(new Simulator());
        Result[] memory results = new Result[](checks.length);
        for (uint256 i = 0; i < checks.length; i++) {
            Check memory check = checks[i];
            Result memory result = results[i];
            result.codeSize = check.payer.code.length;
            result.balance = IToken(token).balanceOf(check.payer);
            result.used = IToken(token).authorizationState(check.payer, check.nonce);
            (, bytes memory frame) =
                simulator.call(abi.encodePacked(uint256(uint160(token)), gasCap, check.call));
            if (frame.length < 32) revert NotEnoughGas();
            bytes memory returnData;
            bool success;
            // The frame is one word of success and then the return data. Its first word becomes
            // the length of the rest, so that nothing is copied.
            assembly ("memory-safe") {
                returnData := add(frame, 32)
                success := mload(returnData)
                mstore(returnData, sub(mload(frame), 32))
            }
            result.success = success;
            result.returnData = returnData;
        }
        bytes memory answer = abi.encode(block.number, block.timestamp, results);
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }
}

/**
 * @title Runs one call and undoes it
 * @notice Takes token, gas cap and calldata, without a selector. Always reverts: with a word of
 * success and the call's return data, or with nothing when it was given too little gas.
 */
contract Simulator {
    fallback() external {
        // Not memory-safe on purpose: this frame ends here, all of its memory is ours.
        assembly {
            let gasCap := calldataload(32)
            let size := sub(calldatasize(), 64)
            calldatacopy(0, 64, size)
            let available := gas()
            // A call gets at most 63/64 of what is left (EIP-150). 5,000 covers the call's own
            // price, 2,600 for a cold account, and the few steps around it.
            if lt(sub(available, shr(6, available)), add(gasCap, 5000)) { revert(0, 0) }
            let success := call(gasCap, calldataload(0), 0, 0, size, 0, 0)
            let used := sub(available, gas())
            // 256 bytes hold an Error(string) of 188 characters; the token's longest has 46.
            let kept := returndatasize()
            if gt(kept, 256) { kept := 256 }
            // A wallet that burns all its gas leaves each of the token's three contracts (proxy,
            // code, library of signatures) the 1/64 that EIP-150 keeps back, enough to say
            // "invalid signature". Say "ran out of gas" instead: it is the truth.
            if and(iszero(success), gt(add(used, mul(3, shr(6, gasCap))), gasCap)) { kept := 0 }
            mstore(0, success)
            returndatacopy(32, 0, kept)
            revert(0, add(32, kept))
        }
    }
}
