// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/**
 * @title The proxy in front of the stand-in token
 * @notice The real token stands behind a proxy, which makes a payment dearer: every call reads two
 * slots, who the admin is and where the code is, and is passed on. So does every call here, and
 * gas on a local chain is close to gas on XDC.
 *
 * Left out: changing the admin or the code. There is no constructor: the runtime code is placed at
 * the canonical USDC address, and both slots are written at the start.
 */
contract StandInUsdcProxy {
    /// The slots of ZeppelinOS, which are older than ERC-1967's: where the real token has them.
    bytes32 private constant ADMIN_SLOT = keccak256("org.zeppelinos.proxy.admin");
    bytes32 private constant IMPLEMENTATION_SLOT =
        keccak256("org.zeppelinos.proxy.implementation");

    /// Where the code is, as the real proxy tells it.
    function implementation() external view returns (address) {
        return _addressAt(IMPLEMENTATION_SLOT);
    }

    /// Who may change the code, as the real proxy tells it.
    function admin() external view returns (address) {
        return _addressAt(ADMIN_SLOT);
    }

    /// Not payable, unlike the real one, whose code then refuses the coins.
    fallback() external {
        require(
            msg.sender != _addressAt(ADMIN_SLOT),
            "Cannot call fallback function from the proxy admin"
        );
        address code = _addressAt(IMPLEMENTATION_SLOT);
        assembly {
            // Nothing of Solidity runs after this, so memory may be written from its beginning.
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), code, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(success) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }

    function _addressAt(bytes32 slot) private view returns (address found) {
        assembly ("memory-safe") {
            found := sload(slot)
        }
    }
}
