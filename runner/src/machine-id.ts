import { createHash } from 'node:crypto';
import { access, readFile, readdir } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const COMMAND_TIMEOUT_MS = 5_000;

const NETWORK_DEVICES = '/sys/class/net';
const PRODUCT_UUID = '/sys/class/dmi/id/product_uuid';
const NO_ADDRESS = '00:00:00:00:00:00';

/**
 * An id of this machine that a copy of its disk does not have: the firmware's id and the addresses
 * of its network hardware, hashed with the runner's id so that they stay private. Undefined where
 * neither is visible, as in many containers.
 */
export async function machineId(runnerId: string): Promise<string | undefined> {
  const facts = [await firmwareId(), ...(await hardwareAddresses())].filter((fact) => fact !== '');
  if (facts.length === 0) return undefined;
  return createHash('sha256')
    .update([runnerId, ...facts].join('\n'))
    .digest('hex')
    .slice(0, 32);
}

/** The firmware's id; only root can read it on most systems, otherwise empty. */
function firmwareId(): Promise<string> {
  return readFile(PRODUCT_UUID, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
}

/** Addresses of hardware interfaces; bridges and virtual pairs have no device and may change. */
async function hardwareAddresses(): Promise<string[]> {
  if (process.platform !== 'linux') {
    const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    const macs = all.filter(({ internal, mac }) => !internal && mac !== NO_ADDRESS);
    return [...new Set(macs.map(({ mac }) => mac))].toSorted();
  }
  const names = await readdir(NETWORK_DEVICES).catch(() => []);
  const found = await Promise.all(names.map(hardwareAddress));
  return found.filter((address) => address !== '' && address !== NO_ADDRESS).toSorted();
}

async function hardwareAddress(name: string): Promise<string> {
  try {
    await access(join(NETWORK_DEVICES, name, 'device'));
    return (await readFile(join(NETWORK_DEVICES, name, 'address'), 'utf8')).trim();
  } catch {
    // No hardware, or removed since it was listed.
    return '';
  }
}

/** An id that changes with every boot of this host only. Throws where the system provides none. */
export async function hostBootId(): Promise<string> {
  if (process.platform === 'linux') {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  }
  const args = ['-n', 'kern.bootsessionuuid'];
  const { stdout } = await promisify(execFile)('sysctl', args, { timeout: COMMAND_TIMEOUT_MS });
  return stdout.trim();
}
