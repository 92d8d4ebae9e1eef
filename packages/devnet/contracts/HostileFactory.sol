// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/**
 * @title A wallet factory that deploys nothing and does harm instead
 * @notice Unlike a wallet's signature check, a factory call may change the chain: it can call the
 * batch contract and the token again. The first byte of the call names the trick.
 */
contract HostileFactory {
    /// Numbered as `factoryTricks` in packages/devnet/src/contract-calls.ts.
    enum Trick {
        BurnGas,
        Revert,
        /// Reverts with as many bytes as half of its gas pays for.
        ReturnBomb,
        /// Calls the contract that follows with the bytes after it.
        Reenter
    }

    fallback() external {
        Trick trick = Trick(uint8(msg.data[0]));
        if (trick == Trick.Revert) revert("HostileFactory: reverts");
        if (trick == Trick.Reenter) {
            (bool success,) = address(bytes20(msg.data[1:21])).call(msg.data[21:]);
            success;
            return;
        }
        uint256 bytesMax = trick == Trick.ReturnBomb ? _bombBytes() : 0;
        assembly ("memory-safe") {
            if iszero(bytesMax) { invalid() }
            revert(0, bytesMax)
        }
    }

    /// Memory costs 3 gas a word and the square of the words through 512.
    function _bombBytes() private view returns (uint256) {
        uint256 budget = gasleft() / 2;
        uint256 words = 256;
        while (words * 6 + words * words / 128 < budget) words *= 2;
        return words * 32;
    }
}
