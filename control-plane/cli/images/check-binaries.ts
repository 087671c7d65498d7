import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Dirent, closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Architecture } from './assemble-context.ts';

const run = promisify(execFile);
const DOCKER_TIMEOUT_MS = 60_000;
const UNPACK_TIMEOUT_MS = 120_000;
const HEADER_BYTES = 20;
const MAGIC = '\u007fELF';
const MACHINE_AT_BYTE = 18;
/** `e_machine` of ELF headers. */
const MACHINES: Readonly<Record<number, Architecture>> = { 0x3e: 'amd64', 0xb7: 'arm64' };

/**
 * Reads the header of every program and library in an image and returns their number. Throws, with
 * names, when one is for another architecture: an assembled image that never ran would fail only in
 * use.
 */
export async function checkBinaries(image: string, architecture: Architecture): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-image-'));
  try {
    await exportInto(folder, image);
    const wrong: string[] = [];
    let checked = 0;
    for (const path of await regularFiles(folder)) {
      const machine = machineOf(path);
      if (machine === null) continue;
      checked += 1;
      if (MACHINES[machine] !== architecture) wrong.push(path.slice(folder.length));
    }
    if (wrong.length > 0) {
      throw new Error(`${image}: not for ${architecture}: ${wrong.slice(0, 10).join(', ')}`);
    }
    if (checked === 0) throw new Error(`${image} holds no program`);
    return checked;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Exports the image through a container that is created and never started. */
async function exportInto(folder: string, image: string): Promise<void> {
  const limits = { timeout: DOCKER_TIMEOUT_MS };
  const { stdout } = await run('docker', ['create', image], limits);
  const container = stdout.trim();
  try {
    const exporting = spawn('docker', ['export', container], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: UNPACK_TIMEOUT_MS,
    });
    const unpacking = spawn('tar', ['-x', '-C', folder, '--no-same-owner', '--exclude', 'dev/*'], {
      stdio: [exporting.stdout, 'inherit', 'inherit'],
      timeout: UNPACK_TIMEOUT_MS,
    });
    const [code] = await once(unpacking, 'exit');
    if (code !== 0) throw new Error(`${image} cannot be unpacked: tar ended with ${code}`);
  } finally {
    await run('docker', ['rm', '--force', '--volumes', container], limits);
  }
}

async function regularFiles(folder: string): Promise<string[]> {
  const entries: Dirent[] = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Architecture of an ELF file; null for any other file. */
function machineOf(path: string): number | null {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const length = readSync(file, header, 0, HEADER_BYTES, 0);
    if (length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return null;
    return header.readUInt16LE(MACHINE_AT_BYTE);
  } finally {
    closeSync(file);
  }
}
