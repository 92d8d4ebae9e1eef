// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/**
 * @title A contract wallet for tests of ERC-1271 payers
 * @notice Accepts a digest its owner signed, until told to misbehave. `setMode` and `setOwner` are
 * test controls which anybody may call: never keep value in it.
 *
 * There is no constructor: the runtime code is placed at a fixed address, the owner in storage.
 */
contract SampleWallet is IERC1271 {
    /// Numbered as `walletModes` in packages/devnet/src/contract-calls.ts.
    enum Mode {
        OwnerSigned,
        Refuse,
        Revert,
        BurnGas,
        AcceptAll,
        ReturnBomb
    }

    /// Memory of this size costs the wallet 200,000 gas and then the token, which copies the
    /// answer, as much again: together more than the 400,000 a contract payer may use.
    uint256 private constant BOMB_BYTES = 300_000;

    address public owner;
    Mode public mode;

    receive() external payable {}

    function setOwner(address newOwner) external {
        owner = newOwner;
    }

    function setMode(Mode newMode) external {
        mode = newMode;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature)
        external
        view
        returns (bytes4)
    {
        Mode current = mode;
        if (current == Mode.Revert) revert("SampleWallet: told to revert");
        if (current == Mode.BurnGas) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        if (current == Mode.ReturnBomb) {
            assembly ("memory-safe") {
                return(0, BOMB_BYTES)
            }
        }
        bool accepted = current == Mode.AcceptAll
            || (current == Mode.OwnerSigned && _isSignedByOwner(digest, signature));
        return accepted ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function _isSignedByOwner(bytes32 digest, bytes calldata signature)
        private
        view
        returns (bool)
    {
        (address signer, ECDSA.RecoverError failure,) =
            ECDSA.tryRecoverCalldata(digest, signature);
        return failure == ECDSA.RecoverError.NoError && signer == owner;
    }
}
