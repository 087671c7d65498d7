import type { Deps } from '../../../deps.ts';
import { VIEWER } from '../../../integrations/linear/api/documents.ts';
import { createLinearClient } from '../../../integrations/linear/api/linear-client.ts';
import { LINEAR_TRACKER } from '../../../integrations/linear/linear-settings.ts';
import { linearSettingsOf } from '../../../integrations/linear/linear-settings-of.ts';
import { TrackerError } from '../../../ports/tracker/tracker.ts';
import type { UnreadableRecord } from '../../../ports/tracker/unreadable-record.ts';
import { failedFinding, type Finding } from './finding.ts';

/** Unreadable issues named here; the tracker's health signal names further ones. */
const MAX_UNREADABLE_NOTES = 5;

/** Checks whether the configured tracker answers, by reading its active issues. */
export async function checkTracker(
  deps: Pick<Deps, 'clock' | 'config' | 'resolveSecret' | 'trackers'>,
): Promise<Finding> {
  const config = await deps.config.load();
  const { kind } = config.tracker;
  const tracker = deps.trackers.get(kind);
  if (tracker === undefined) return failedFinding(`there is no tracker of the kind ${kind}`);
  try {
    const notes: string[] = [];
    if (kind === LINEAR_TRACKER) {
      const settings = linearSettingsOf(() => config, deps.resolveSecret);
      const ask = createLinearClient({ clock: deps.clock, settings });
      const { viewer, organization } = await ask(VIEWER, {});
      notes.push(`Signed in to ${organization.name} as ${viewer.name}.`);
    }
    const { active } = tracker.stateRoles();
    let unreadable = 0;
    const found = await tracker.fetchByStates(active, (record) => {
      unreadable += 1;
      if (unreadable <= MAX_UNREADABLE_NOTES) notes.push(unreadableText(record));
    });
    const summary = `${found.length} ${found.length === 1 ? 'issue' : 'issues'} in ${active.join(', ')}`;
    return { ok: true, message: `The tracker answers: ${summary}`, notes };
  } catch (error) {
    if (error instanceof TrackerError) return failedFinding(error.message);
    throw error;
  }
}

function unreadableText({ name, id, problem }: UnreadableRecord): string {
  return `${name ?? id ?? 'An issue'} cannot be read and is left as it is (${problem}).`;
}
