import type * as z from 'zod';
import type { EngineEvent } from '../../agent-engine.ts';
import { mapFailure } from './map-failure.ts';
import { mapItem } from './map-item.ts';
import * as protocol from '../turn-params.ts';
import { truncateText } from '../../session/truncate-text.ts';

/** Notices are short; longer ones are truncated. */
const MAX_NOTICE_BYTES = 4 * 1024;

export type MapContext = {
  /** Latest known rate-limit windows of the account. */
  limits: readonly protocol.RateLimitWindow[];
  /** The agent's working folder. */
  workspacePath?: string | undefined;
};

type Mapper = (params: unknown, context: MapContext) => EngineEvent[];

/** Runs `map` on params that match the schema; others are reported instead of guessed. */
function when<Schema extends z.ZodType>(
  schema: Schema,
  map: (params: z.output<Schema>, context: MapContext) => EngineEvent | null,
): Mapper {
  return (params, context) => {
    const parsed = schema.safeParse(params);
    if (!parsed.success) return [notice('warning', 'a message of the engine had an unknown form')];
    const event = map(parsed.data, context);
    return event === null ? [] : [event];
  };
}

function notice(level: 'info' | 'warning' | 'error', message: string): EngineEvent {
  return { kind: 'notice', level, message: truncateText(message, MAX_NOTICE_BYTES) };
}

const delta = (stream: 'message' | 'reasoning' | 'output'): Mapper =>
  when(protocol.DeltaParams, (params) => ({
    kind: 'delta',
    itemId: params.itemId,
    stream,
    text: truncateText(params.delta),
  }));

const warning = when(protocol.WarningParams, ({ message }) => notice('warning', message));

const summary = when(protocol.SummaryParams, (params) =>
  notice('warning', params.details ? `${params.summary} ${params.details}` : params.summary),
);

const MAPPERS: Record<string, Mapper> = {
  'turn/started': when(protocol.TurnParams, ({ threadId, turn }) => ({
    kind: 'turn_started',
    threadId,
    turnId: turn.id,
  })),
  'turn/completed': when(protocol.TurnParams, turnEnded),
  'turn/plan/updated': when(protocol.PlanParams, planItem),
  'item/started': when(protocol.ItemParams, ({ item }, { workspacePath }) => ({
    kind: 'item_started',
    itemId: item.id,
    item: mapItem(item, workspacePath),
  })),
  'item/completed': when(protocol.ItemParams, ({ item }, { workspacePath }) => ({
    kind: 'item_ended',
    itemId: item.id,
    item: mapItem(item, workspacePath),
  })),
  'item/agentMessage/delta': delta('message'),
  'item/reasoning/summaryTextDelta': delta('reasoning'),
  'item/reasoning/textDelta': delta('reasoning'),
  'item/commandExecution/outputDelta': delta('output'),
  'thread/tokenUsage/updated': when(protocol.TokenUsageParams, stats),
  error: when(protocol.ErrorParams, retryNotice),
  warning,
  guardianWarning: warning,
  configWarning: summary,
  deprecationNotice: summary,
  'model/rerouted': when(protocol.ReroutedParams, ({ fromModel, toModel }) =>
    notice('warning', `the provider answers with ${toModel} instead of ${fromModel}`),
  ),
};

/** Converts one notification into events; none for those that are not needed. Pure. */
export function mapNotification(
  method: string,
  params: unknown,
  context: MapContext,
): EngineEvent[] {
  return MAPPERS[method]?.(params, context) ?? [];
}

function turnEnded(
  { turn }: z.output<typeof protocol.TurnParams>,
  { limits }: MapContext,
): EngineEvent {
  const ended = { kind: 'turn_ended' as const, turnId: turn.id };
  if (turn.status === 'completed' || turn.status === 'interrupted') {
    return { ...ended, status: turn.status };
  }
  return { ...ended, status: 'failed', failure: mapFailure(turn.error, limits) };
}

/** A notice about a retried error; any other ends the turn and is reported there. */
function retryNotice({
  error,
  willRetry,
}: z.output<typeof protocol.ErrorParams>): EngineEvent | null {
  if (!willRetry) return null;
  const details = error.additionalDetails ? `: ${error.additionalDetails}` : '';
  const message = truncateText(`${error.message}${details}`, MAX_NOTICE_BYTES);
  return { kind: 'notice', level: 'warning', message, willRetry };
}

/**
 * Converts usage. After an overflow of the context the engine reports a total of the whole window
 * without input and output, which nobody used, and later totals contain it. The total is therefore
 * computed from input and output.
 */
function stats({ tokenUsage }: z.output<typeof protocol.TokenUsageParams>): EngineEvent | null {
  const { total, last, modelContextWindow } = tokenUsage;
  const totals = tokensOf(total);
  if (totals.total === 0 && total.totalTokens > 0) return null;
  return {
    kind: 'stats',
    totals,
    ...(last ? { last: tokensOf(last) } : {}),
    ...(typeof modelContextWindow === 'number' ? { contextWindow: modelContextWindow } : {}),
  };
}

function tokensOf(tokens: protocol.Tokens) {
  return {
    input: tokens.inputTokens,
    cachedInput: tokens.cachedInputTokens,
    output: tokens.outputTokens,
    reasoning: tokens.reasoningOutputTokens,
    total: tokens.inputTokens + tokens.outputTokens,
  };
}

function planItem({
  turnId,
  explanation,
  plan,
}: z.output<typeof protocol.PlanParams>): EngineEvent {
  const steps = plan.map(({ step, status }) => `[${status}] ${step}`);
  const text = truncateText([explanation ?? '', ...steps].filter(Boolean).join('\n'));
  return { kind: 'item_ended', itemId: `plan-${turnId}`, item: { type: 'plan', text } };
}
