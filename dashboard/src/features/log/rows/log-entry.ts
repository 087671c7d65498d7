import type { AttemptOutcome } from '@switchyard/shared/api/work/attempt';
import type { Tone } from '../../../ui/marks/badge.tsx';
import { actOfPerson } from '@switchyard/shared/reasons/act-of-person';
import { endedStatus } from '@switchyard/shared/reasons/attempt-status';
import { asReasonCode } from '@switchyard/shared/reasons/explain-reason';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import { formatDuration } from '../../../format/time.ts';
import { plural } from '../../../format/format-count.ts';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import { failureLabel, phaseLabel, triggerLabel } from '../../../format/labels.ts';
import { failoverSide } from '../../../format/failover-side.ts';
import { showUnseen } from '../../../format/show-unseen.ts';
import { textOf } from '../../../format/text-of.ts';

/** A line of the log that is no engine item: a phase, a notice, an end. */
export type LogEntry = {
  tone: Tone;
  label: string;
  text: string;
  /** The acting person, by the name in the audit log; null: nobody. */
  by: string | null;
  /** Longer output below the line. */
  body: string | null;
  /** Consecutive entries with the same value are merged. */
  merge: string | null;
};

type Payload = Record<string, unknown>;
type Reader = (payload: Payload) => LogEntry;

const READERS: Record<string, Reader> = {
  phase: phaseEntry,
  'attempt.phase': phaseEntry,
  workspace: (p) =>
    entry(
      'quiet',
      'Workspace',
      `${p['created'] === true ? 'created' : 'reused'} · ${textOf(p['branch'])} from ${textOf(p['baseBranch'])}@${textOf(p['baseCommit']).slice(0, 9)} · ${formatDuration(Number(p['durationMs'] ?? 0))}`,
    ),
  container: containerEntry,
  isolation: (p) =>
    entry(
      'quiet',
      'Isolation',
      `${textOf(p['level'])}, network ${textOf(p['network']) || 'as it is'}`,
    ),
  thread: (p) =>
    entry(
      'quiet',
      'Engine',
      `${textOf(p['engineVersion'])} · thread ${p['resumed'] === true ? 'resumed' : 'started'}`,
    ),
  'attempt.failover': failoverEntry,
  'attempt.requeued': (p) =>
    entry(p['reasonCode'] === 'runner_lost' ? 'warning' : 'info', 'Requeued', textOf(p['reason'])),
  request: (p) => entry('ask', 'Question', questionText(p['questions'])),
  request_resolved: () => entry('good', 'Answered', 'agent resumed'),
  notice: (p) => entry(noticeTone(p['level']), noticeLabel(p['level']), textOf(p['message'])),
  log: (p) => ({
    ...entry('quiet', sourceLabel(p['source']), ''),
    body: textOf(p['text']),
    merge: `log:${textOf(p['source'])}`,
  }),
  egress_allowed: (p) => entry('quiet', 'Network', hostsText(p['hosts'])),
  egress_refused: (p) => entry('warning', 'Network', textOf(p['message'])),
  write_refused: (p) => entry('warning', 'Push rejected', textOf(p['message'])),
  limit_exceeded: (p) => entry('bad', 'Limit', textOf(p['message'])),
  artifacts: artifactsEntry,
  snapshot: snapshotEntry,
  'attempt.checkpoint': checkpointEntry,
  'attempt.ended': endedEntry,
  'request.expired': () => entry('warning', 'Expired', 'no answer in time'),
};

/** The entry for an event kind. Unknown kinds are shown unchanged. */
export function logEntryOf(kind: string, payload: Payload): LogEntry {
  const read = READERS[kind];
  if (read !== undefined) return read(payload);
  return { ...entry('quiet', kind || 'event', ''), body: JSON.stringify(payload, null, 2) };
}

function entry(tone: Tone, label: string, text: string): LogEntry {
  return { tone, label, text, by: null, body: null, merge: null };
}

/** At most five hosts, by name. */
function hostsText(hosts: unknown): string {
  const all: readonly Payload[] = Array.isArray(hosts) ? hosts : [];
  const named = all
    .slice(0, 5)
    .map((one) => `${textOf(one['host'])} ×${Number(one['requests'] ?? 0)}${withSecrets(one)}`);
  return (
    named.join(', ') + (all.length > named.length ? ` and ${all.length - named.length} more` : '')
  );
}

/** Names of the secrets, never their values. */
function withSecrets({ secrets }: Payload): string {
  const names: readonly unknown[] = Array.isArray(secrets) ? secrets : [];
  return names.length === 0 ? '' : ` with ${names.map(textOf).join(', ')}`;
}

function phaseEntry(payload: Payload): LogEntry {
  return entry('info', 'Phase', phaseLabel(textOf(payload['phase'])));
}

function containerEntry(payload: Payload): LogEntry {
  if (payload['state'] === 'started') {
    const isolation = textOf(payload['isolation']);
    // The container's name; that of a plain process is only its attempt's, so it is left out.
    const name = isolation === 'process' ? '' : ` ${textOf(payload['containerId']).slice(0, 12)}`;
    return entry('quiet', 'Sandbox', `${isolation}${name} started`);
  }
  if (payload['oom'] === true) return entry('bad', 'Sandbox', 'ran out of memory and was killed');
  const exitCode = payload['exitCode'];
  return entry(
    'quiet',
    'Sandbox',
    typeof exitCode === 'number' ? `ended with exit code ${exitCode}` : 'ended',
  );
}

/** Entry for a failover: an account failed, and the next choice continues in this attempt. */
function failoverEntry(payload: Payload): LogEntry {
  const code = asReasonCode(payload['reasonCode']);
  const why = code === null ? '' : REASON_CATALOGUE[code].cause;
  const text = `continues the attempt on ${failoverSide(payload['from'])} with ${failoverSide(payload['to'])}`;
  return entry('warning', 'Failover', [text, why].filter((part) => part !== '').join(' · '));
}

/** Entry for the files that the agent left for people and that its runner stored. */
function artifactsEntry(payload: Payload): LogEntry {
  const files: readonly Payload[] = Array.isArray(payload['files']) ? payload['files'] : [];
  const kept = `${files.length === 0 ? 'no files' : plural(files.length, 'file')} kept for review`;
  const leftOut = Number(payload['leftOut'] ?? 0);
  const text = leftOut > 0 ? `${kept} · ${leftOut} beyond the limits` : kept;
  const names = files.map((file) => showUnseen(textOf(file['path'])));
  return { ...entry(leftOut > 0 ? 'warning' : 'quiet', 'Files', text), body: names.join('\n') };
}

function snapshotEntry(payload: Payload): LogEntry {
  const stat = (payload['diffStat'] ?? {}) as Record<string, number>;
  const commit = textOf(payload['commitSha']).slice(0, 9);
  const change = `${plural(stat['files'] ?? 0, 'file')} +${stat['insertions'] ?? 0} −${stat['deletions'] ?? 0}`;
  return entry(
    'info',
    'Snapshot',
    commit === '' ? 'no changes' : `${commit} on ${textOf(payload['branch'])} · ${change}`,
  );
}

function checkpointEntry(payload: Payload): LogEntry {
  const commit = textOf(payload['commitSha']).slice(0, 9);
  const saved = `saved ${triggerLabel(textOf(payload['trigger']))}`;
  return entry('quiet', 'Checkpoint', commit === '' ? saved : `${saved} · ${commit}`);
}

function endedEntry(payload: Payload): LogEntry {
  const outcome = textOf(payload['outcome']);
  const kind = payload['failureKind'];
  const code = asReasonCode(payload['reasonCode']);
  const message = textOf(payload['message']);
  const act = actOfPerson(code, message);
  if (act !== null) return { ...entry('quiet', asSentence(act.verb), ''), by: act.actor };
  const failure = typeof kind === 'string' ? failureLabel(kind) : '';
  const reason = code === null ? failure : REASON_CATALOGUE[code].cause;
  const { tone, word } = endedStatus({ outcome: outcome as AttemptOutcome, reasonCode: code });
  const sentence = [word, reason, message].filter((part) => part !== '');
  const parts = sentence.map((part) => part.replace(/\.$/, ''));
  return entry(tone, 'Ended', parts.join(' · '));
}

function questionText(questions: unknown): string {
  if (!Array.isArray(questions)) return 'the agent asked a question';
  return questions
    .map((question: Payload) => textOf(question['question']) || textOf(question['header']))
    .join(' · ');
}

function noticeTone(level: unknown): Tone {
  return level === 'error' ? 'bad' : level === 'warning' ? 'warning' : 'info';
}

function noticeLabel(level: unknown): string {
  return level === 'error' ? 'Error' : level === 'warning' ? 'Warning' : 'Notice';
}

function sourceLabel(source: unknown): string {
  const name = textOf(source) || 'log';
  return name.charAt(0).toUpperCase() + name.slice(1);
}
