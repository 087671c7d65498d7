import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Step, StepOutput, StepStream, Usage } from './step.ts';

const DEFAULT_USAGE: Usage = { input: 1000, cachedInput: 200, output: 50, reasoning: 10 };

/** Streamed text goes out in pieces of about this many characters. */
const PIECE_CHARS = 12;

export type StreamContext = {
  /** Distinguishes item and response ids of different calls. */
  callId: string;
  /** Used where the step names no pause of its own, milliseconds. */
  pauseMs: number;
  /** Aborted when the client left or the provider closes. */
  signal: AbortSignal;
};

type Item = Record<string, unknown> & { id: string };

class EventWriter {
  readonly #response: ServerResponse;
  readonly #context: StreamContext;
  #sequence = 0;

  constructor(response: ServerResponse, context: StreamContext) {
    this.#response = response;
    this.#context = context;
  }

  async send(type: string, fields: Record<string, unknown>): Promise<void> {
    this.#context.signal.throwIfAborted();
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...fields });
    const flushed = this.#response.write(`event: ${type}\ndata: ${data}\n\n`);
    if (!flushed) await this.#drained();
  }

  async pause(): Promise<void> {
    if (this.#context.pauseMs <= 0) return;
    await delay(this.#context.pauseMs, undefined, { signal: this.#context.signal });
  }

  #drained(): Promise<void> {
    const { signal } = this.#context;
    return new Promise((resolve, reject) => {
      this.#response.once('drain', resolve);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }
}

/** Plays one step as a stream of server-sent events. Rejects when the signal aborts. */
export async function streamStep(
  response: ServerResponse,
  step: Step,
  context: StreamContext,
): Promise<void> {
  const { delayMs } = step;
  const pauseMs = step.pauseMs ?? context.pauseMs;
  if (delayMs) await delay(delayMs, undefined, { signal: context.signal });
  if (step.instead !== undefined) return void (await step.instead(response, context.signal));
  response.writeHead(200, { 'content-type': 'text/event-stream', ...step.headers });
  const writer = new EventWriter(response, { ...context, pauseMs });
  const responseId = `resp_${context.callId}`;
  await writer.send('response.created', { response: { id: responseId } });
  for (const [index, output] of step.outputs.entries()) {
    await streamOutput(writer, output, `${context.callId}_${index}`, index);
  }
  if (step.ending !== undefined) {
    const { callId, signal } = context;
    const send: StepStream['send'] = (type, fields) => writer.send(type, fields);
    return void (await step.ending({ response, callId, signal, send }));
  }
  const usage = usageFields(step.usage ?? DEFAULT_USAGE);
  await writer.send('response.completed', { response: { id: responseId, usage } });
  response.end();
}

async function streamOutput(
  writer: EventWriter,
  output: StepOutput,
  suffix: string,
  index: number,
): Promise<void> {
  const item = itemOf(output, suffix);
  if (output.type === 'message') {
    const added = { output_index: index, item: messageItem(item.id, '') };
    await writer.send('response.output_item.added', added);
    for (const delta of pieces(output.text)) {
      await writer.send('response.output_text.delta', { item_id: item.id, delta });
      await writer.pause();
    }
  } else if (output.type === 'reasoning') {
    const added = { output_index: index, item: { ...item, summary: [] } };
    await writer.send('response.output_item.added', added);
    const place = { item_id: item.id, output_index: index, summary_index: 0 };
    await writer.send('response.reasoning_summary_part.added', place);
    for (const delta of pieces(output.text)) {
      await writer.send('response.reasoning_summary_text.delta', { ...place, delta });
      await writer.pause();
    }
  }
  await writer.send('response.output_item.done', { output_index: index, item });
}

function itemOf(output: StepOutput, suffix: string): Item {
  const callId = `call_${suffix}`;
  switch (output.type) {
    case 'message':
      return messageItem(`msg_${suffix}`, output.text);
    case 'reasoning': {
      const summary = [{ type: 'summary_text', text: output.text }];
      return { type: 'reasoning', id: `rs_${suffix}`, summary };
    }
    case 'tool': {
      const callArguments = JSON.stringify(output.arguments);
      const call = { call_id: callId, name: output.name, arguments: callArguments };
      return { type: 'function_call', id: `fc_${suffix}`, ...call };
    }
    case 'custom_tool': {
      const call = { call_id: callId, name: output.name, input: output.input };
      return { type: 'custom_tool_call', id: `ctc_${suffix}`, ...call };
    }
  }
}

/** A message of the model as an item of its answer. */
export function messageItem(id: string, text: string): Item {
  const content = text === '' ? [] : [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id, role: 'assistant', content };
}

function usageFields({ input, cachedInput, output, reasoning }: Usage): Record<string, unknown> {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedInput },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** Cuts after whole words so that streamed text reads well on screen. */
function pieces(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${PIECE_CHARS}}\\S*`, 'g')) ?? [];
}
