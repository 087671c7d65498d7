import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

/**
 * A listening TCP socket of this machine or, where sockets cannot be listed, a proxy's usual port
 * on one of its addresses. `everywhere`: the socket listens on all addresses.
 */
export type Listener = { address: string; port: number; everywhere: boolean };

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const STATE_LISTEN = '0A';
/** Usual ports of proxies, for systems without tables of sockets. */
const USUAL_PORTS = [80, 443, 8_080, 8_443];
const MAX_LISTENERS = 64;

/**
 * Sockets that accept connections beyond this machine's loopback interface, as far as they can be
 * listed.
 */
export function listListeners(): Listener[] {
  const tables = TABLES.map(readTable).filter((text) => text !== null);
  const found = tables.length === 0 ? usualPlaces() : tables.flatMap(listenersIn);
  const byPlace = new Map(found.map((one) => [`${one.address} ${one.port}`, one]));
  return [...byPlace.values()].slice(0, MAX_LISTENERS);
}

/** Listeners in the text of `/proc/net/tcp` or `tcp6`, without those on loopback addresses. */
export function listenersIn(table: string): Listener[] {
  return socketsIn(table)
    .map(({ address, port, everywhere }) => ({ address, port, everywhere }))
    .filter(({ address, everywhere }) => everywhere || !isLoopback(address));
}

/** All listeners in the text of `/proc/net/tcp` or `tcp6`, each with the inode of its socket. */
export function socketsIn(table: string): (Listener & { inode: string })[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== STATE_LISTEN || port === '') return [];
    return [{ ...readAddress(address), port: Number.parseInt(port, 16), inode }];
  });
}

/**
 * The kernel writes each group of 4 bytes as a number in this machine's byte order, little-endian.
 */
function readAddress(hex: string): Pick<Listener, 'address' | 'everywhere'> {
  const groups = hex.toLowerCase().match(/.{8}/g) ?? [];
  const bytes = groups.flatMap((group) => (group.match(/../g) ?? []).toReversed());
  if (bytes.every((byte) => byte === '00')) return { address: '127.0.0.1', everywhere: true };
  const isMapped =
    bytes.length === 16 && bytes.slice(0, 12).join('') === '00000000000000000000ffff';
  const plain = bytes.length === 4 ? bytes : isMapped ? bytes.slice(12) : null;
  if (plain !== null) {
    const address = plain.map((byte) => Number.parseInt(byte, 16)).join('.');
    return { address, everywhere: address === '0.0.0.0' };
  }
  const hextets = bytes.join('').match(/.{4}/g) ?? [];
  return {
    address: new URL(`http://[${hextets.join(':')}]`).hostname.slice(1, -1),
    everywhere: false,
  };
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^127(\.\d+){3}$/.test(address);
}

function usualPlaces(): Listener[] {
  const own = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  return own.flatMap(({ address }) =>
    USUAL_PORTS.map((port) => ({ address, port, everywhere: false })),
  );
}

function readTable(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
