import { expect } from 'vitest';
import type { Attempt } from './attempts.ts';
import type { Row } from './table.ts';

/** A megabyte or so of disk. */
const CROWD = 'mkdir crowd; (cd crowd; seq 50000 | xargs touch); sleep';

/** A clone has no such folder by itself. */
const UNTRACKED = "mkdir -p .git/info; printf 'crowd\\nfilled\\n' >> .git/info/exclude";

/**
 * How long what is too much stays: its attempt is ended as soon as the usage is measured, and so at
 * once but on a busy machine.
 */
const STAYS_SECONDS = 100;

/** Agents that take too much of the disk, and one that takes as much and may. */
export function diskCommands(limitBytes: number): Record<string, string[]> {
  const fill = `head -c ${2 * limitBytes} /dev/zero > filled; sleep`;
  return {
    fills: [`${fill} ${STAYS_SECONDS}; unlink filled`],
    crowds: [`${CROWD} ${STAYS_SECONDS}; rm -r crowd`],
    // No work: on a busy machine its turn may be over before all of it is gone again.
    holds: [`${UNTRACKED}; ${fill} 12; unlink filled; ${CROWD} 12; rm -r crowd`],
  };
}

/** The attempt was ended, and its events say for which limit. */
export function endedForDisk(name: string, { status, events }: Attempt, limit: string): Row {
  expect(status, name).toBe('failed');
  const told = events.find((text) => text.startsWith('limit_exceeded ')) ?? '';
  expect(told, name).toContain(`"limit":"${limit}"`);
  return {
    attempt: name,
    stoppedBy: 'the disk quota',
    event: 'limit_exceeded',
    control: 'succeeded',
  };
}
