import { collectBody } from '@switchyard/shared/host/collect-body';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SCRIPTED_MODEL } from '@switchyard/shared/model-providers/scripted-model';
import { formatAt, isCount } from '@switchyard/shared/host/scripted-model/formats/format-at';
import type { ParsedRequest } from '@switchyard/shared/host/scripted-model/formats/wire-format';
import { sideAnswer } from '@switchyard/shared/host/scripted-model/side-answer';
import type { Step } from '@switchyard/shared/host/scripted-model/step';
import { streamStep } from '@switchyard/shared/host/scripted-model/stream-step';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { Grant } from '../grant.ts';
import { NO_TOKENS } from '../model/read-tokens.ts';
import { sendError } from '../model/send-error.ts';
import { sendJson } from '../read-json.ts';
import { trialStep } from './trial-step.ts';

/** The proxy holds whole bodies here, and all attempts share it. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_ACTIVE = 8;
/** Requests of one attempt: more than the script needs, so that an engine in a loop is refused. */
const MAX_REQUESTS = 300;
/** From the first byte of a request to the last of its response. */
const ANSWER_TIMEOUT_MS = 120_000;
const TITLE = 'Trial without a model';

/**
 * Answers an engine's request by the script: nothing is sent anywhere and no key is used. Always
 * ends the response.
 */
export async function answerScripted(
  request: IncomingMessage,
  response: ServerResponse,
  grant: Grant,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('the engine left')));
  const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const signal = AbortSignal.any([left.signal, grant.revoked.signal, timeout]);
  try {
    await answer(request, response, { grant, signal });
  } catch (error) {
    if (response.destroyed) return;
    if (signal.aborted) return void response.destroy();
    const why = error instanceof Error ? cutText(error.message, 300, '…') : 'unknown';
    const message = `the scripted model cannot answer: ${why}`;
    sendError(request, response, { status: 400, type: 'scripted_model', message });
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { grant, signal }: { grant: Grant; signal: AbortSignal },
): Promise<void> {
  if (grant.requests > MAX_REQUESTS) {
    const message = `the scripted model takes at most ${MAX_REQUESTS} requests of one attempt`;
    return sendError(request, response, { status: 400, type: 'scripted_model', message });
  }
  if (grant.active > MAX_ACTIVE) {
    const message = `the scripted model answers at most ${MAX_ACTIVE} requests at a time`;
    return sendError(request, response, { status: 429, type: 'too_many_requests', message });
  }
  const [path = ''] = (request.url ?? '').split('?', 1);
  const format = request.method === 'POST' ? formatAt(path) : null;
  if (format === null && request.method === 'POST') {
    const message = 'the scripted model does not answer on this path';
    return sendError(request, response, { status: 404, type: 'not_allowed', message });
  }
  if (format === null) return sendJson(response, 200, modelsAt(path));
  const { body, isWhole } = await collectBody(request, MAX_BODY_BYTES, signal);
  if (!isWhole) {
    const message = `the request is over ${MAX_BODY_BYTES} bytes`;
    return sendError(request, response, { status: 413, type: 'request_too_large', message });
  }
  if (isCount(path)) {
    return sendJson(response, 200, { input_tokens: 0, totalTokens: 0 });
  }
  // Without headers the turn is derived from the messages alone, so no memory is needed here.
  const parsed = format.parse(JSON.parse(body.toString('utf8')), { headers: {}, path });
  const { ledger } = grant;
  const open = ledger.begin();
  try {
    await streamStep(response, stepFor(parsed), {
      format,
      callId: randomUUID(),
      pauseMs: 0,
      signal,
      request: { ...parsed, model: SCRIPTED_MODEL },
    });
    ledger.used(open, NO_TOKENS, SCRIPTED_MODEL);
    ledger.answered(open);
  } finally {
    ledger.end(open);
  }
}

function stepFor(parsed: ParsedRequest): Step {
  const side = sideAnswer(parsed, TITLE);
  if (side !== null)
    return { ...side, usage: { input: 0, cachedInput: 0, output: 0, reasoning: 0 } };
  return trialStep({ ...parsed, rounds: parsed.rounds ?? 0 });
}

/** A list with one model, in the shapes of all formats at once. */
function modelsAt(path: string): unknown {
  const model = {
    id: SCRIPTED_MODEL,
    type: 'model',
    object: 'model',
    owned_by: 'switchyard',

    display_name: SCRIPTED_MODEL,
    name: `models/${SCRIPTED_MODEL}`,
    displayName: SCRIPTED_MODEL,
    created_at: '2026-01-01T00:00:00Z',
  };
  if (/\/models\/./.test(path)) return model;
  return {
    object: 'list',
    data: [model],
    models: [model],
    first_id: SCRIPTED_MODEL,
    last_id: SCRIPTED_MODEL,
    has_more: false,
  };
}
