import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, ParsedRequest, WireEvent, WireFormat } from './formats/wire-format.ts';
import type { Refusal, Step, StepStream, Usage } from './step.ts';
import { chooseTools } from './tools/choose-tools.ts';

const DEFAULT_USAGE: Usage = { input: 1000, cachedInput: 200, output: 50, reasoning: 10 };

export type StreamContext = {
  format: WireFormat;
  request: ParsedRequest;
  /** Makes item and response ids of different calls unique. */
  callId: string;
  /** Delay between pieces where the step has none of its own, milliseconds. */
  pauseMs: number;
  /** Aborted when the client disconnects or the provider closes. */
  signal: AbortSignal;
};

class EventWriter {
  readonly #response: ServerResponse;
  readonly #context: StreamContext;
  #sequence = 0;

  constructor(response: ServerResponse, context: StreamContext) {
    this.#response = response;
    this.#context = context;
  }

  async send(events: readonly WireEvent[]): Promise<void> {
    for (const event of events) {
      await this.#write(event);
      if (event.pause === true) await this.#pause();
    }
  }

  async #write({ event, data }: WireEvent): Promise<void> {
    this.#context.signal.throwIfAborted();
    const name = event === undefined ? '' : `event: ${event}\n`;
    const flushed = this.#response.write(`${name}data: ${this.#text(data)}\n\n`);
    if (!flushed) await this.#drained();
  }

  /** JSON of an event's data; events of the Responses API get a sequence number. */
  #text(data: unknown): string {
    if (typeof data === 'string') return data;
    if (this.#context.format.wireApi !== 'responses') return JSON.stringify(data);
    return JSON.stringify({ ...Object(data), sequence_number: this.#sequence++ });
  }

  async #pause(): Promise<void> {
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

/** Plays one step in the format of its request. Rejects when the signal aborts. */
export async function streamStep(
  response: ServerResponse,
  step: Step,
  context: StreamContext,
): Promise<void> {
  const { format, request, callId, signal } = context;
  const pauseMs = step.pauseMs ?? context.pauseMs;
  if (step.delayMs) await delay(step.delayMs, undefined, { signal });
  if (step.instead !== undefined) return void (await step.instead(response, signal));
  if (step.silence === 'before_headers') return never(signal);
  const { refusal } = step;
  const isInside = refusal !== undefined && format.refusesInside?.includes(refusal.kind) === true;
  if (refusal !== undefined && !(isInside && request.isStreamed)) {
    return refuse(response, refusal, format);
  }
  const answer: Answer = {
    callId,
    model: request.model,
    wantsUsage: request.wantsUsage,
    outputs: chooseTools(step.outputs, request),
    usage: step.usage ?? DEFAULT_USAGE,
  };
  if (!request.isStreamed) return answerWhole(response, step, { answer, format, signal });
  response.writeHead(200, { 'content-type': 'text/event-stream', ...step.headers });
  response.flushHeaders();
  if (step.silence === 'after_headers') return never(signal);
  const writer = new EventWriter(response, { ...context, pauseMs });
  await writer.send(format.begin(answer));
  const stream = stepStream(response, writer, { answer, format, signal });
  if (refusal !== undefined) return stream.fail(refusal);
  for (const index of answer.outputs.keys()) await writer.send(format.output(answer, index));
  if (step.silence === 'after_outputs') return never(signal);
  if (step.ending !== undefined) return void (await step.ending(stream));
  await writer.send(format.end(answer));
  response.end();
}

type Answering = { answer: Answer; format: WireFormat; signal: AbortSignal };

function stepStream(
  response: ServerResponse,
  writer: EventWriter,
  { answer, format, signal }: Answering,
): StepStream {
  const index = answer.outputs.length;
  let isOpen = false;
  return {
    response,
    signal,
    async say(text) {
      if (!isOpen) await writer.send(format.openMessage(answer, index));
      isOpen = true;
      await writer.send([format.messagePiece(answer, index, text)]);
    },
    async fail(refusal) {
      const events = format.failInside(refusal, answer);
      if (events === null) return void response.destroy();
      await writer.send(events);
      response.end();
    },
  };
}

async function answerWhole(
  response: ServerResponse,
  step: Step,
  { answer, format, signal }: Answering,
): Promise<void> {
  if (step.silence !== undefined) return never(signal);
  if (step.ending !== undefined) return void response.destroy();
  const headers = { 'content-type': 'application/json', ...step.headers };
  response.writeHead(200, headers).end(JSON.stringify(format.whole(answer)));
}

function refuse(response: ServerResponse, refusal: Refusal, format: WireFormat): void {
  const { status, headers, body } = format.refuse(refusal, Date.now());
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
