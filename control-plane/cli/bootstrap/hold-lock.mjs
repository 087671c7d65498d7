import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BootstrapError } from './bootstrap-error.mjs';
import { say } from './say.mjs';

/**
 * A holder updates its lock every 5 s, so a lock without an update for this long has lost its
 * holder.
 */
const staleAfterMs = 60_000;
const touchEveryMs = 5_000;
const pollEveryMs = 200;

/**
 * Runs `work` while holding `folder` as a lock between processes. The lock of a dead holder is
 * replaced.
 *
 * @param {string} folder created and removed here; its parent must be writable
 * @param {{ checkpoint(): void }} signals checked while waiting, throws when interrupted
 * @param {() => Promise<T>} work
 * @param {{ timeoutMs?: number }} [options] longest wait for another holder, 15 minutes by default
 * @returns {Promise<T>}
 * @throws {BootstrapError} when the wait times out
 * @template T
 */
export async function holdLock(folder, signals, work, { timeoutMs = 15 * 60_000 } = {}) {
  await acquire(folder, signals, Date.now() + timeoutMs);
  const timer = setInterval(() => touch(folder), touchEveryMs);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function acquire(folder, signals, deadlineMs) {
  mkdirSync(join(folder, '..'), { recursive: true });
  let announced = false;
  while (!tryMake(folder)) {
    signals.checkpoint();
    if (isStale(folder)) {
      discard(folder);
      continue;
    }
    if (!announced) {
      say(`waiting for another set-up to finish (${folder})`);
      announced = true;
    }
    if (Date.now() > deadlineMs) {
      throw new BootstrapError(
        `another set-up holds ${folder} and does not finish; remove that folder if none is running`,
      );
    }
    await sleep(pollEveryMs);
  }
}

function tryMake(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new BootstrapError(`cannot write ${folder}: ${error.message}`);
  }
  writeFileSync(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, host: hostname() }));
  return true;
}

function isStale(folder) {
  const silentMs = Date.now() - (modifiedAtMs(folder) ?? Date.now());
  if (silentMs > staleAfterMs) return true;
  const owner = readOwner(folder);
  // Process ids are valid on the holder's own host only; a checkout may be a shared folder.
  return owner !== null && owner.host === hostname() && !isAlive(owner.pid);
}

/** Renames the lock before removing it, so that no waiter removes the new lock of another one. */
function discard(folder) {
  const aside = `${folder}.stale.${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

function touch(folder) {
  try {
    const now = new Date();
    utimesSync(folder, now, now);
  } catch (error) {
    say(`the lock ${folder} is gone: ${error.message}`);
  }
}

function modifiedAtMs(folder) {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
}

function readOwner(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'));
  } catch {
    // Between mkdir and write the holder is unknown, so the age decides.
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
