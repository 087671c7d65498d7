import { commandText } from '@switchyard/shared/text/command-text';
import { serviceVersion } from '../service-version.ts';
import { type MigrationState, ownVersion, versionText } from './migration-state.ts';
import type { Backup } from './take-backup.ts';

/** How to go back after an upgrade: a copy of the file, or the server operator's own backup. */
export type WayBack = { copy: Backup; dataDir: string } | 'server';

/**
 * One line for the first start after an upgrade: both versions, that all data is kept, the path of
 * the copy and how to go back. Null for a new database, or one that this version has opened before.
 * `back` is null when no copy was needed.
 */
export function upgradeMessage(
  former: MigrationState,
  name: string,
  back: WayBack | null,
): string | null {
  const own = ownVersion();
  const theirs = former.openedBy ?? 'an earlier version';
  if (former.is === 'current') {
    if (former.openedBy === serviceVersion) return null;
    return (
      `${name} was last opened by ${theirs} and is used by ${serviceVersion} now: its schema ` +
      `${own.schema} stays, everything in it is kept, and to go back it is enough to start that version`
    );
  }
  if (former.is !== 'behind') return null;
  const brought =
    `${name} was brought from ${versionText(theirs, former.schema)} to ` +
    `${versionText(own.version, own.schema)}: everything in it is kept`;
  if (back === null || back === 'server') {
    return `${brought}; no copy is made of a database on a server, so the way back is the server's own backup from before`;
  }
  const restore = commandText(
    `backup --data-dir ${back.dataDir} --restore ${back.copy.path}`,
    process.env,
  );
  const version = former.openedBy ?? 'the version that it came from';
  return `${brought}; the copy from before is ${back.copy.path}; to go back, stop this version, run "${restore}" and start ${version}`;
}
