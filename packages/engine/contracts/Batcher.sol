// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// One call of a batch.
struct Call {
    address to;
    /// The most gas that the call may use. It gets all of it, or it is not made.
    uint64 gasLimit;
    bytes data;
}

/// What became of a call.
struct Result {
    bool success;
    /// With the price of the call itself. Zero when it was not made: too little gas was left.
    uint256 gasUsed;
    /// What it reverted with, at most 256 bytes. Empty when it succeeded.
    bytes returnData;
}

/**
 * @title Many calls in one transaction, none of which can use the gas of another
 * @notice Experimental: not audited. A relayer settles many payments with it: each is one call of
 * the token's `transferWithAuthorization`, or, for a contract wallet that is not deployed yet, two:
 * a call of the wallet's factory and then the transfer.
 *
 * Anybody may call it, and it calls whatever it is told to. It has no owner, no storage and no
 * balance, so that a call from it has no more rights than one from any new account. Never send
 * tokens to it and never approve it: anybody could take them.
 *
 * What holds for any calls, whoever chose them and whatever they do:
 * - A call uses at most its own `gasLimit`. A call that is made gets all of its `gasLimit`, however
 *   much the calls before it have burnt. Otherwise it is not made, and the next one is looked at.
 * - No call reverts another one, and what a call returns costs the batch a bounded amount of gas.
 * - Once a call is made, the batch ends well: the gas for all that is left to do is kept back.
 * - A call that calls this contract again starts a batch of its own, within its own gas.
 *
 * The results serve simulations. A payment was made if the token says so in its logs.
 */
contract Batcher {
    /// `Error(string)` of 188 characters fits in; the token's longest text has 46.
    uint256 private constant RETURN_BYTES_MAX = 256;

    /// Gas to look at a call, keep its result and return it. Measured with the price of memory:
    /// 1,500 when it succeeds, 2,300 with 256 bytes of return data.
    uint256 private constant RESULT_GAS = 4_000;

    /// Words of memory for a result: kept once, encoded once, 256 bytes of return data in each.
    uint256 private constant RESULT_WORDS = 32;

    /// Gas of the CALL instruction to a cold account, 2,600, and of the few steps around it.
    uint256 private constant CALL_GAS = 5_000;

    /// Makes the calls one after the other; the results are in the same order.
    function settle(Call[] calldata calls) external returns (Result[] memory results) {
        results = new Result[](calls.length);
        uint256 reserve = _reserveOf(calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            _make(calls[i], reserve, results[i]);
        }
    }

    /// The gas that all steps of this contract take at most beside the calls. Memory costs 3 gas a
    /// word and the square of the words through 512, and 3 more to write it.
    function _reserveOf(uint256 count) private pure returns (uint256) {
        uint256 words = msg.data.length / 32 + count * RESULT_WORDS;
        return count * RESULT_GAS + words * 6 + words * words / 512;
    }

    function _make(Call calldata one, uint256 reserve, Result memory result) private {
        address to = one.to;
        uint256 gasLimit = one.gasLimit;
        bytes calldata data = one.data;
        uint256 input;
        assembly ("memory-safe") {
            // Free memory, which the next call may overwrite.
            input := mload(64)
            calldatacopy(input, data.offset, data.length)
        }
        uint256 available = gasleft();
        // A call gets at most 63/64 of the gas that is left (EIP-150).
        if (available - available / 64 < gasLimit + CALL_GAS + reserve) return;
        bool success;
        uint256 size;
        assembly ("memory-safe") {
            // No output area: only what is asked for below is copied.
            success := call(gasLimit, to, 0, input, data.length, 0, 0)
            size := returndatasize()
        }
        result.gasUsed = available - gasleft();
        result.success = success;
        if (success || size == 0) return;
        bytes memory returnData = new bytes(size < RETURN_BYTES_MAX ? size : RETURN_BYTES_MAX);
        assembly ("memory-safe") {
            returndatacopy(add(returnData, 32), 0, mload(returnData))
        }
        result.returnData = returnData;
    }
}
