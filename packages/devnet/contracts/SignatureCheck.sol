// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/**
 * @title Whether an account signed a digest, by its key or by ERC-1271
 * @notice A library with code of its own, called from outside, because the real token has its
 * check in one: a payment pays for that call too.
 */
library SignatureCheck {
    /// Half the order of secp256k1: a larger `s` is the second, malleable form of a signature.
    uint256 private constant LARGEST_S =
        0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    /// An account with code decides by itself; any other must have signed with its key.
    function isSignedBy(address signer, bytes32 digest, bytes memory signature)
        external
        view
        returns (bool)
    {
        return signer.code.length == 0
            ? _recover(digest, signature) == signer
            : _isAcceptedByWallet(signer, digest, signature);
    }

    /// OpenZeppelin's ECDSA merges some of these cases and words them otherwise, hence our own.
    function _recover(bytes32 digest, bytes memory signature) private pure returns (address) {
        require(signature.length == 65, "ECRecover: invalid signature length");
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        require(uint256(s) <= LARGEST_S, "ECRecover: invalid signature 's' value");
        require(v == 27 || v == 28, "ECRecover: invalid signature 'v' value");
        address signer = ecrecover(digest, v, r, s);
        require(signer != address(0), "ECRecover: invalid signature");
        return signer;
    }

    /// Copies the whole answer into memory, as the real token does: a wallet that answers with
    /// megabytes exhausts the gas of the payment.
    function _isAcceptedByWallet(address wallet, bytes32 digest, bytes memory signature)
        private
        view
        returns (bool)
    {
        (bool success, bytes memory answer) =
            wallet.staticcall(abi.encodeCall(IERC1271.isValidSignature, (digest, signature)));
        return success && answer.length >= 32
            && abi.decode(answer, (bytes32)) == bytes32(IERC1271.isValidSignature.selector);
    }
}
