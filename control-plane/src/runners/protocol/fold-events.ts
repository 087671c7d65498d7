import { withoutStatusLine } from '@switchyard/shared/engine/status-of-line';
import type { AttemptPhase, TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { Question } from '@switchyard/shared/api/work/question';
import {
  type AttemptEventItem,
  type AttemptEventKind,
  AttemptEventPayload,
  CONTROL_PLANE_KINDS,
  type ReportedModels,
} from '@switchyard/shared/protocol/attempt-event';
import { MAX_CHECKS } from '@switchyard/shared/checks/check-spec';
import type { ChainedEvent } from '@switchyard/shared/protocol/extend-digest';
import { plainText } from '@switchyard/shared/text/plain-text';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { ReportedCheck } from '../../attempts/checks/store-check.ts';
import { areArtifactsOf, type ReportedArtifacts } from '../../attempts/evidence/store-artifacts.ts';
import type { ReportedCheckpoint } from '../../attempts/checkpoints/insert-checkpoint.ts';
import type { StoredEvent } from '../../db/schema/operation/events.ts';
import { visibleLine } from '../../attempts/prompt/untrusted-text.ts';
import { isOwnBlob } from '../../attempts/identity/attempt-blob-key.ts';

const MAX_VERSION_CHARS = 200;

/** Columns of the attempt that a frame of events updates. */
export type AttemptPatch = Partial<{
  phase: AttemptPhase;
  thread_id: string;
  engine_version: string;
  turn_id: string | null;
  turn_count: number;
  tokens: TokenUsage;
  branch: string;
  base_branch: string;
  commit_sha: string | null;
  summary: string;
}>;

export type AskedRequest = { engineRequestId: string; questions: Question[] };

export type FoldedEvents = {
  patch: AttemptPatch;
  asked: AskedRequest[];
  resolved: string[];
  checkpoints: ReportedCheckpoint[];
  /** The newest result of each check by name, at most MAX_CHECKS. */
  checks: Map<string, ReportedCheck>;
  /** The newest report of the agent's artifacts; null: none. */
  artifacts: ReportedArtifacts | null;
  /** Ids of steer messages that the engine has confirmed. */
  delivered: string[];
  /** Whether the patch's tokens count this attempt alone, not its whole thread. */
  usageIsOwn: boolean;
  /** These tokens by model, if the runner reports that. */
  usageByModel: ReportedModels;
  /** Events to append to the stream, in order, each as the JSON of a stored event. */
  stored: string[];
};

/** An event of a known kind with an invalid payload: the runner is faulty or dishonest. */
export class MalformedEvent extends Error {
  constructor(seq: number, kind: string) {
    super(`event ${seq} of kind ${kind} has a malformed payload`);
    this.name = 'MalformedEvent';
  }
}

export type FoldContext = { attemptId: string; identifier: string; epoch: number };

/** An event with the JSON of its payload, which is used for both the digest and the row. */
export type FreshEvent = AttemptEventItem & ChainedEvent;

/** Reduces a frame of events to the changes and the events to store. Pure. */
export function foldEvents(items: readonly FreshEvent[], context: FoldContext): FoldedEvents {
  const folded: FoldedEvents = {
    patch: {},
    asked: [],
    resolved: [],
    checkpoints: [],
    checks: new Map(),
    artifacts: null,
    delivered: [],
    usageIsOwn: false,
    usageByModel: [],
    stored: [],
  };
  const { attemptId, identifier, epoch } = context;
  // Builds the JSON of a StoredEvent from parts, so that no payload is serialised twice.
  const lease = JSON.stringify({ attemptId, identifier, epoch }).slice(1, -1);
  for (const item of items) {
    if (CONTROL_PLANE_KINDS.has(item.kind)) throw new MalformedEvent(item.seq, item.kind);
    foldItem(folded, item, context);
    folded.stored.push(
      `{"type":"attempt.event","atMs":${item.atMs},"data":{${lease},"runnerSeq":${item.seq},` +
        `"kind":${JSON.stringify(item.kind)},"payload":${item.payloadJson}}}`,
    );
  }
  return folded;
}

function store(folded: FoldedEvents, event: StoredEvent): void {
  folded.stored.push(JSON.stringify(event));
}

function parse<K extends AttemptEventKind>(item: AttemptEventItem, kind: K) {
  const parsed = AttemptEventPayload[kind].safeParse(item.payload);
  if (!parsed.success) throw new MalformedEvent(item.seq, kind);
  return parsed.data as ReturnType<(typeof AttemptEventPayload)[K]['parse']>;
}

function foldItem(folded: FoldedEvents, item: AttemptEventItem, context: FoldContext): void {
  const { patch } = folded;
  switch (item.kind) {
    case 'phase': {
      const { phase } = parse(item, 'phase');
      patch.phase = phase;
      store(folded, {
        type: 'attempt.phase',
        atMs: item.atMs,
        data: { attemptId: context.attemptId, identifier: context.identifier, phase },
      });
      return;
    }
    case 'thread': {
      const thread = parse(item, 'thread');
      patch.thread_id = thread.threadId;
      patch.engine_version = cutText(visibleLine(thread.engineVersion), MAX_VERSION_CHARS);
      return;
    }
    case 'turn': {
      const turn = parse(item, 'turn');
      patch.turn_id = turn.state === 'started' ? turn.turnId : null;
      patch.turn_count = turn.number;
      return;
    }
    case 'usage': {
      const { own, totals, byModel } = parse(item, 'usage');
      patch.tokens = own ?? totals;
      folded.usageIsOwn = own !== undefined;
      folded.usageByModel = (own && byModel) ?? [];
      return;
    }
    case 'workspace': {
      const workspace = parse(item, 'workspace');
      patch.branch = workspace.branch;
      patch.base_branch = workspace.baseBranch;
      return;
    }
    case 'snapshot':
      patch.commit_sha = parse(item, 'snapshot').commitSha;
      return;
    case 'checkpoint': {
      const reported = parse(item, 'checkpoint');
      const { attemptId } = context;
      if (!isOwnBlob(reported.diffBlob, attemptId) || !isOwnBlob(reported.sessionBlob, attemptId)) {
        throw new MalformedEvent(item.seq, 'checkpoint');
      }
      if (reported.summary !== undefined) {
        patch.summary = withoutStatusLine(plainText(reported.summary));
      }
      folded.checkpoints.push({ ...reported, runnerSeq: item.seq });
      store(folded, {
        type: 'attempt.checkpoint',
        atMs: item.atMs,
        data: {
          attemptId: context.attemptId,
          identifier: context.identifier,
          ordinal: reported.ordinal,
          trigger: reported.trigger,
          commitSha: reported.commitSha,
        },
      });
      return;
    }
    case 'request': {
      const { requestId, questions } = parse(item, 'request');
      folded.asked.push({ engineRequestId: requestId, questions });
      return;
    }
    case 'request_resolved':
      folded.resolved.push(parse(item, 'request_resolved').requestId);
      return;
    case 'check': {
      const check = parse(item, 'check');
      const { checks } = folded;
      if (checks.size < MAX_CHECKS || checks.has(check.name)) {
        checks.set(check.name, { ...check, atMs: item.atMs });
      }
      return;
    }
    case 'artifacts':
      folded.artifacts = parse(item, 'artifacts');
      if (areArtifactsOf(context.attemptId, folded.artifacts)) return;
      throw new MalformedEvent(item.seq, 'artifacts');
    case 'item':
      foldUserMessage(folded, parse(item, 'item').item);
      return;
    default:
      return;
  }
}

function foldUserMessage(folded: FoldedEvents, item: Record<string, unknown>): void {
  const clientId = item['clientId'];
  if (item['type'] === 'user_message' && typeof clientId === 'string')
    folded.delivered.push(clientId);
}
