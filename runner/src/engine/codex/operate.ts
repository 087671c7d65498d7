import type {
  EngineModel,
  EngineOperation,
  EngineOutcome,
} from '@switchyard/shared/protocol/engine-operations';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { z } from 'zod';
import { EngineRequestError } from '../json-rpc/engine-errors.ts';
import { METHOD_NOT_FOUND } from '../json-rpc/rpc-client.ts';

/** Sends one request to the engine. Rejects as RpcClient does. */
export type AskEngine = (method: string, params?: Record<string, unknown>) => Promise<unknown>;

/** An engine in the form that operations use. */
export type OperatedEngine = {
  ask: AskEngine;
  version: string;
  /** Settings for a thread that is loaded or forked. */
  policy: Record<string, unknown>;
  /**
   * Whether stored threads may be loaded for reading; an attempt's engine has its own thread
   * loaded.
   */
  loadsThreads: boolean;
};

type Single = Exclude<EngineOperation['op'], 'capabilities' | 'models'>;
type Params = Record<string, unknown>;
type Method = { method: string; params?: (given: Params, policy: Params) => Params };

const given = (params: Params): Params => params;

/**
 * The methods to which an operator's operations are passed on. None starts a turn or runs a
 * command.
 */
const METHODS: Record<Single, Method> = {
  features: { method: 'experimentalFeature/list', params: given },
  modes: { method: 'collaborationMode/list', params: given },
  'mcp.list': { method: 'mcpServerStatus/list', params: given },
  'mcp.login': { method: 'mcpServer/oauth/login', params: given },
  'mcp.reload': { method: 'config/mcpServer/reload' },
  'threads.list': { method: 'thread/list', params: given },
  'threads.loaded': { method: 'thread/loaded/list', params: given },
  'thread.read': { method: 'thread/read', params: given },
  'thread.fork': {
    method: 'thread/fork',
    params: (params, policy) => ({ ...params, ...policy, excludeTurns: true }),
  },
  'thread.name': { method: 'thread/name/set', params: given },
  'thread.archive': { method: 'thread/archive', params: given },
  'thread.unarchive': { method: 'thread/unarchive', params: given },
  'thread.unsubscribe': { method: 'thread/unsubscribe', params: given },
  'account.read': { method: 'account/read', params: () => ({}) },
  'account.limits': { method: 'account/rateLimits/read' },
  'account.login': { method: 'account/login/start', params: given },
  'account.cancel_login': { method: 'account/login/cancel', params: given },
  'account.logout': { method: 'account/logout' },
};

/** Logins that a person completes elsewhere; others would give the engine a credential. */
const LOGIN_TYPES: readonly string[] = ['chatgpt', 'chatgptDeviceCode'];

/** Limit on the entries of a list that is read page by page. */
const MAX_LISTED = 2_000;
const MAX_PAGES = 20;

const ResultObject = z.record(z.string(), z.unknown());
const Page = z.object({ data: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** Performs an operation. Never rejects: every failure is an outcome. */
export async function operate(
  operation: EngineOperation,
  engine: OperatedEngine,
): Promise<EngineOutcome> {
  try {
    const result = await perform(operation, engine);
    return { outcome: 'answered', result, shortened: false };
  } catch (error) {
    return outcomeOf(error, operation);
  }
}

async function perform(
  operation: EngineOperation,
  engine: OperatedEngine,
): Promise<Record<string, unknown>> {
  if (operation.op === 'capabilities') return capabilities(engine);
  if (operation.op === 'models') return { data: await models(engine.ask) };
  if (operation.op === 'account.login' && !LOGIN_TYPES.includes(operation.type)) {
    throw new InvalidOperation(`the engine is not asked for a login of type ${operation.type}`);
  }
  if (operation.op === 'thread.read' && operation.includeTurns) {
    return threadWithTurns(engine, operation.threadId);
  }
  const { op, ...rest } = operation;
  const { method, params } = METHODS[op];
  return ResultObject.parse((await engine.ask(method, params?.(rest, engine.policy))) ?? {});
}

const StoredThread = z.looseObject({
  thread: z.looseObject({ status: z.looseObject({ type: z.string() }).nullish() }),
});

/**
 * Reads a thread with its turns; the engine knows those of a stored thread only after loading it.
 */
async function threadWithTurns(
  { ask, policy, loadsThreads }: OperatedEngine,
  threadId: string,
): Promise<Record<string, unknown>> {
  const bare = await ask('thread/read', { threadId, includeTurns: false });
  const isStored = StoredThread.parse(bare).thread.status?.type === 'notLoaded';
  const loaded = isStored && loadsThreads && (await load({ ask, policy }, threadId));
  try {
    return ResultObject.parse(await ask('thread/read', { threadId, includeTurns: true }));
  } catch (error) {
    // Matches the error of a thread whose first turn has not begun.
    const noTurnsYet = /not (?:supported|materialized) yet/i;
    if (error instanceof EngineRequestError && noTurnsYet.test(error.reason)) {
      return ResultObject.parse(bare);
    }
    throw error;
  } finally {
    if (loaded) await ask('thread/unsubscribe', { threadId });
  }
}

/** Loads a thread; false when it cannot be loaded, for example because it is archived. */
async function load(
  { ask, policy }: Pick<OperatedEngine, 'ask' | 'policy'>,
  threadId: string,
): Promise<boolean> {
  try {
    await ask('thread/resume', { threadId, ...policy, excludeTurns: true });
    return true;
  } catch (error) {
    if (error instanceof EngineRequestError) return false;
    throw error;
  }
}

class InvalidOperation extends Error {}

async function capabilities(engine: OperatedEngine): Promise<Record<string, unknown>> {
  const { ask, version } = engine;
  const features = z
    .array(z.looseObject({ name: z.string(), enabled: z.boolean().optional() }))
    .parse(await allOf(ask, 'experimentalFeature/list'));
  const reported = await ask('modelProvider/capabilities/read', {}).catch((error: unknown) => {
    // An older engine reports no capabilities.
    if (error instanceof EngineRequestError) return {};
    throw error;
  });
  return {
    engine: { name: 'codex', version },
    capabilities: ResultObject.parse(reported),
    features: Object.fromEntries(features.map(({ name, enabled }) => [name, enabled === true])),
  };
}

const Model = z.looseObject({
  model: z.string().min(1),
  displayName: z.string().nullish(),
  description: z.string().nullish(),
  supportedReasoningEfforts: z.array(z.looseObject({ reasoningEffort: z.string() })).nullish(),
});

async function models(ask: AskEngine): Promise<EngineModel[]> {
  const found = z.array(Model).parse(await allOf(ask, 'model/list'));
  return found.map(({ model, displayName, description, supportedReasoningEfforts }) => ({
    id: model,
    name: displayName ?? model,
    description: description ?? '',
    reasoningEfforts: (supportedReasoningEfforts ?? []).map((one) => one.reasoningEffort),
  }));
}

async function allOf(ask: AskEngine, method: string): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: string | null | undefined;
  for (let read = 0; read < MAX_PAGES && found.length < MAX_LISTED; read += 1) {
    const page = Page.parse(await ask(method, cursor ? { cursor } : {}));
    found.push(...page.data);
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  return found.slice(0, MAX_LISTED);
}

/** The engine uses one code for nearly every error, so that only its text tells them apart. */
const UNKNOWN_THREAD =
  /thread not (?:loaded|found)|no (?:archived )?rollout found|invalid (?:thread|session) id/i;
const INVALID =
  /^invalid |unknown variant|must not be empty|turn not found|last ?turn|invalid (?:type|value)/i;
const NEEDS_OPT_IN = /requires experimentalApi/i;

function outcomeOf(error: unknown, operation: EngineOperation): EngineOutcome {
  const message = cutText(messageOf(error), 2_000);
  if (error instanceof InvalidOperation) return { outcome: 'invalid', message };
  if (error instanceof z.ZodError) {
    return { outcome: 'refused', message: 'the engine’s answer is not of the expected shape' };
  }
  if (!(error instanceof EngineRequestError)) return { outcome: 'unreachable', message };
  const { reason, method, code } = error;
  const refusal = { message: cutText(reason, 2_000) };
  const unknownMethod = reason.includes(`unknown variant \`${method}\``);
  if (unknownMethod || NEEDS_OPT_IN.test(reason)) {
    return { outcome: 'unsupported', message: `the engine does not support ${method}` };
  }
  if ('threadId' in operation && UNKNOWN_THREAD.test(reason)) {
    return { outcome: 'unknown_thread', ...refusal };
  }
  if (INVALID.test(reason)) return { outcome: 'invalid', ...refusal };
  // This code for a known method means that such a thread does not support it.
  if (code === METHOD_NOT_FOUND) return { outcome: 'unsupported', ...refusal };
  return { outcome: 'refused', ...refusal };
}
