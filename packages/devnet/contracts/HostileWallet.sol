// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/**
 * @title A contract wallet that tries to tell a simulation from a transaction, or to harm others
 * @notice Accepts whatever it is shown while it believes to be simulated, and burns all its gas
 * otherwise. The last three tricks do their harm always. The first byte of the signature names the trick, so that the same code serves at many
 * addresses and needs no storage.
 */
contract HostileWallet is IERC1271 {
    /// Numbered as `hostileTricks` in packages/devnet/src/contract-calls.ts.
    enum Trick {
        AcceptAll,
        /// Simulations without a sender have no origin.
        NoOrigin,
        /// Simulations without a gas price are free.
        NoGasPrice,
        /// The wallet's owner raises a flag just before the block that has the transaction.
        Flag,
        /// The address in the signature is the origin of simulations, not of transactions.
        OtherOrigin,
        BurnGas,
        Revert,
        /// Returns as many bytes as half of its gas pays for.
        ReturnBomb,
        /// Calls the contract in the signature with what follows it, and then accepts.
        Reenter
    }

    /// Its balance is the flag of `Trick.Flag`: an owner raises it by a transfer of one wei.
    address public constant FLAG = 0xBAd0000000000000000000000000000000000Bad;

    function isValidSignature(bytes32, bytes calldata signature) external view returns (bytes4) {
        Trick trick = Trick(uint8(signature[0]));
        if (trick == Trick.Revert) revert("HostileWallet: reverts");
        if (trick == Trick.ReturnBomb) {
            uint256 size = _bombBytes();
            assembly ("memory-safe") {
                return(0, size)
            }
        }
        if (trick == Trick.Reenter) {
            // Whether it succeeds does not matter: this is a static call, so nothing can change.
            (bool success,) = address(bytes20(signature[1:21])).staticcall(signature[21:]);
            success;
            return IERC1271.isValidSignature.selector;
        }
        if (!_isBelievedSimulated(trick, signature)) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        return IERC1271.isValidSignature.selector;
    }

    /// Memory costs 3 gas a word and the square of the words through 512.
    function _bombBytes() private view returns (uint256) {
        uint256 budget = gasleft() / 2;
        uint256 words = 256;
        while (words * 6 + words * words / 128 < budget) words *= 2;
        return words * 32;
    }

    function _isBelievedSimulated(Trick trick, bytes calldata signature)
        private
        view
        returns (bool)
    {
        if (trick == Trick.AcceptAll) return true;
        if (trick == Trick.NoOrigin) return tx.origin == address(0);
        if (trick == Trick.NoGasPrice) return tx.gasprice == 0;
        if (trick == Trick.Flag) return FLAG.balance == 0;
        if (trick == Trick.OtherOrigin) return tx.origin == address(bytes20(signature[1:21]));
        return false;
    }
}
