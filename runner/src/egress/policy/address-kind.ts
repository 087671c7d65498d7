import { BlockList, isIP, isIPv4 } from 'node:net';

export type AddressKind = 'public' | 'private' | 'metadata';

/** Addresses of clouds' metadata services, which include keys. */
const metadata = new BlockList();
metadata.addSubnet('169.254.0.0', 16);
metadata.addAddress('100.100.100.200');
metadata.addAddress('192.0.0.192');
metadata.addAddress('fd00:ec2::254', 'ipv6');
metadata.addAddress('fd20:ce::254', 'ipv6');
metadata.addSubnet('fe80::', 10, 'ipv6');

/**
 * IANA's special-purpose registry: this host, private, shared, documentation, multicast, reserved.
 */
const reserved4 = new BlockList();
const RESERVED_4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';
for (const range of RESERVED_4.split(' ')) {
  const [network = '', prefix] = range.split('/');
  reserved4.addSubnet(network, Number(prefix));
}

/** In IPv6 only global unicast is public, except addresses that embed an IPv4 address. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const wrapped6 = new BlockList();
wrapped6.addSubnet('2001::', 32, 'ipv6');
wrapped6.addSubnet('2001:db8::', 32, 'ipv6');
wrapped6.addSubnet('2002::', 16, 'ipv6');
const mapped6 = new BlockList();
mapped6.addSubnet('::ffff:0:0', 96, 'ipv6');

/** Classifies an address; `private` covers everything that is not on the public internet. */
export function addressKind(address: string): AddressKind {
  if (isIP(address) === 0) return 'private';
  if (isIPv4(address)) {
    if (metadata.check(address)) return 'metadata';
    return reserved4.check(address) ? 'private' : 'public';
  }
  const plain = address.replace(/%.*$/, '');
  if (metadata.check(plain, 'ipv6')) return 'metadata';
  const inner = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (inner !== undefined) return addressKind(inner);
  if (mapped6.check(plain, 'ipv6')) return 'private';
  return global6.check(plain, 'ipv6') && !wrapped6.check(plain, 'ipv6') ? 'public' : 'private';
}
