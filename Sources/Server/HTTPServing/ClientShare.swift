/// The share of limits that a client counts towards.
package enum ClientShare {
  /// A name of the share for an address as text: the address, or the first half of an IPv6 address,
  /// since an owner of one may choose the other half freely.
  package static func name(_ address: String) -> String { "\(ClientAddress(address).share)" }
}
