// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/**
 * @title A contract wallet that tries to tell a simulation from a transaction
 * @notice Accepts whatever it is shown while it believes to be simulated, and burns all its gas
 * otherwise. The first byte of the signature names the trick, so that the same code serves at many
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
        BurnGas
    }

    /// Its balance is the flag of `Trick.Flag`: an owner raises it by a transfer of one wei.
    address public constant FLAG = 0xBAd0000000000000000000000000000000000Bad;

    function isValidSignature(bytes32, bytes calldata signature) external view returns (bytes4) {
        if (!_isBelievedSimulated(Trick(uint8(signature[0])), signature)) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        return IERC1271.isValidSignature.selector;
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
