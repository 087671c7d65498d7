import { createHash } from 'node:crypto';
import {
  type Artifact,
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACTS,
  MAX_ARTIFACTS_BYTES,
} from '@switchyard/shared/evidence/artifact';
import { messageOf } from '@switchyard/shared/message-of';
import { cutText } from '@switchyard/shared/text/cut-text';
import { formatBytes } from '@switchyard/shared/text/units/format-bytes';
import { namesText } from '@switchyard/shared/text/units/names-text';
import { withFolder, withFolderInside } from '../../agent-files/with-folder.ts';
import { withTimeLimit } from '../../connection/clock.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { artifactType } from './artifact-type.ts';
import { type ReadArtifacts, readArtifacts } from './read-artifacts.ts';

const LIMIT_MS = 60_000;
const SHOWN_FILES = 3;
const MIN_SECRET_CHARS = 8;
const MAX_MESSAGE_CHARS = 1_500;
const NOTHING: ReadArtifacts = { kept: [], leftOut: [], withSecret: [], unread: [], isCut: false };

/**
 * Stores the artifacts that the agent left in the declared folder, and reports them. A file that
 * cannot be stored is reported and changes nothing else. Call it only when none of the agent's
 * processes runs. Throws Stopped.
 */
export async function collectArtifacts(
  context: AttemptContext,
  { path, created }: PreparedWorkspace,
): Promise<void> {
  const { spec, deps, ref, control } = context;
  const { artifacts, readOnly } = spec;
  if (artifacts === undefined || readOnly === true) return;
  const limit = { limitMs: LIMIT_MS, signal: control.signal };
  try {
    await withTimeLimit(deps.clock, limit, async (signal) => {
      const secrets = secretsOf(context);
      const read = await withFolder(path, (root) =>
        withFolderInside(root, artifacts.split('/'), { make: false }, (folder) =>
          readArtifacts(folder, { secrets, signal }),
        ),
      );
      await storeAndReport(context, read ?? NOTHING, { created, signal });
    });
  } catch (error) {
    control.check();
    deps.log.warn('artifacts were not stored', { ...ref, error: messageOf(error) });
    await warn(context, `the files in ${artifacts} were not stored: ${messageOf(error)}`);
  }
  control.check();
}

/**
 * The secrets for which files are checked, as for a push: shorter ones would match ordinary text.
 */
function secretsOf({ apiKey, secretValues = {} }: AttemptContext): string[] {
  const known = [apiKey ?? '', ...Object.values(secretValues)];
  return known.filter((value) => value.length >= MIN_SECRET_CHARS);
}

async function storeAndReport(
  context: AttemptContext,
  { kept, ...read }: ReadArtifacts,
  { created, signal }: { created: boolean; signal: AbortSignal },
): Promise<void> {
  const { recorder, control, spec, ref } = context;
  const files: Artifact[] = [];
  const failed: string[] = [];
  let why = '';
  for (const file of kept) {
    try {
      files.push(await stored(context, file, signal));
    } catch (error) {
      control.check();
      failed.push(file.path);
      why ||= messageOf(error);
    }
  }
  control.check();
  const leftOut = read.leftOut.length;
  // Reports an empty list, which replaces that of an earlier lease, unless the files may be on
  // another host.
  const isNone = ref.epoch > 1 && !created && failed.length === 0;
  if (files.length > 0 || leftOut > 0 || isNone)
    await recorder.event('artifacts', { files, leftOut });
  const { artifacts } = spec;
  if (leftOut > 0 || read.isCut) {
    const message = `not all files in ${artifacts} were stored: at most ${MAX_ARTIFACTS} are, of ${formatBytes(MAX_ARTIFACT_BYTES)} each and ${formatBytes(MAX_ARTIFACTS_BYTES)} together${named(read.leftOut)}`;
    await recorder.event('notice', { level: 'info', message: cutText(message, MAX_MESSAGE_CHARS) });
  }
  if (read.withSecret.length > 0) {
    const message = `files in ${artifacts} hold a credential of this installation and were not stored${named(read.withSecret)}`;
    await warn(context, message);
  }
  if (read.unread.length > 0)
    await warn(context, `files in ${artifacts} could not be read${named(read.unread)}`);
  if (failed.length > 0)
    await warn(context, `files in ${artifacts} could not be stored (${why})${named(failed)}`);
}

/** The key derives from the content, so that storing it again gives the same blob. */
async function stored(
  { deps, ref, attemptToken }: AttemptContext,
  { path, bytes }: ReadArtifacts['kept'][number],
  signal: AbortSignal,
): Promise<Artifact> {
  signal.throwIfAborted();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const name = `artifact-${sha256.slice(0, 32)}`;
  const blob = await deps.uplink.putBlob(ref, attemptToken, { name, body: bytes, signal });
  return { path, bytes: bytes.length, sha256, type: artifactType(bytes), blob };
}

/** A list of names for the end of a sentence: `: a, b, c and 2 more`; empty for none. */
function named(paths: readonly string[]): string {
  if (paths.length === 0) return '';
  return `: ${namesText(paths.slice(0, SHOWN_FILES), paths.length)}`;
}

function warn({ recorder }: AttemptContext, message: string): Promise<void> {
  return recorder.event('notice', {
    level: 'warning',
    message: cutText(message, MAX_MESSAGE_CHARS),
  });
}
