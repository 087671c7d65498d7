import { messageOf } from '@switchyard/shared/message-of';
import type { FolderHandle } from '../../agent-files/folder-handle.ts';
import { putFile, readHead, withFolder, withFolderInside } from '../../agent-files/with-folder.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';

/**
 * Marker before the rule, so that a rule for a folder that is no longer declared can be removed.
 */
const MARK = '# Artifacts of Switchyard:';
/** A larger file was not written by hand and is replaced. */
const MAX_EXCLUDE_BYTES = 256 * 1024;

/**
 * Makes git in the workspace exclude the artifacts folder from commits, before the agent starts. An
 * earlier agent may have changed anything in `.git`: whatever blocks the rules file is replaced,
 * and a failure is only a warning.
 */
export async function excludeArtifacts(
  context: AttemptContext,
  { path }: PreparedWorkspace,
): Promise<void> {
  const { spec, deps, ref, recorder } = context;
  const { artifacts, readOnly } = spec;
  if (readOnly === true) return;
  try {
    const done = await withFolder(path, (root) =>
      withFolderInside(root, ['.git'], { make: false }, async (git) => {
        const rules = rulesWith(artifacts, await rulesOf(git));
        if (rules === null) return true;
        const write = (file: { writeFile(bytes: Buffer): Promise<void> }) => file.writeFile(rules);
        await putFile(git, 'info/exclude', write, deps.containers.workIdentity);
        return true;
      }),
    );
    if (done === null) throw new Error('the workspace has no folder .git that could be opened');
  } catch (error) {
    if (artifacts === undefined) return;
    const why = messageOf(error);
    deps.log.warn('the folder of artifacts is not excluded from commits', { ...ref, error: why });
    const message = `files in ${artifacts} may get into commits, as git could not be told to leave them out: ${why}`;
    await recorder.event('notice', { level: 'warning', message });
  }
}

/** The rules, one character for each byte; empty if there is no usable file. */
async function rulesOf(git: FolderHandle): Promise<string> {
  const rules = await withFolderInside(git, ['info'], { make: false }, async (info) => {
    const file = await info.openFile('exclude');
    if (file === null) return '';
    try {
      const bytes = await readHead(file, MAX_EXCLUDE_BYTES + 1);
      return bytes.length > MAX_EXCLUDE_BYTES ? '' : bytes.toString('latin1');
    } finally {
      await file.close();
    }
  });
  return rules ?? '';
}

/** The rules with this one at the end, where it takes precedence. Null when nothing must change. */
function rulesWith(artifacts: string | undefined, rules: string): Buffer | null {
  const lines = rules.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const others = lines.filter((line, index) => line !== MARK && lines[index - 1] !== MARK);
  const ours = artifacts === undefined ? [] : [MARK, `/${artifacts}/`];
  const wanted = [...others, ...ours];
  if (wanted.join('\n') === lines.join('\n')) return null;
  return Buffer.from(wanted.map((line) => `${line}\n`).join(''), 'latin1');
}
