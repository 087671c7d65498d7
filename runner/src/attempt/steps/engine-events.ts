import { cutText } from '@switchyard/shared/text/cut-text';
import { statusOfLine } from '@switchyard/shared/engine/status-of-line';
import type { EngineEvent, EngineItem, Question } from '../../engine/agent-engine.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import type { Companions } from '../companions/companions.ts';
import type { OpenRequests } from '../watch/open-requests.ts';
import type { Marker } from '../attempt-end.ts';

/**
 * Invalid lines are shown up to this number, so that an engine with nothing else does not fill the
 * disk.
 */
const MAX_GARBAGE_EVENTS = 50;
const MAX_QUESTIONS = 16;
/** Characters of the agent's last message in `finish`. */
const MAX_SUMMARY_CHARS = 50_000;

/** Items whose start is stored, because they take time and people want to see them. */
const SHOWN_AT_START: ReadonlySet<EngineItem['type']> = new Set([
  'command',
  'tool_call',
  'file_change',
]);

/** Truncates a question to what is shown; ids stay unchanged, since answers are matched by them. */
function fitQuestion(question: Question): Question {
  const { id, isSecret, options } = question;
  return {
    id,
    isSecret,
    header: cutText(question.header, 400),
    question: cutText(question.question, 8_000),
    options: options.slice(0, 32).map(({ label, description }) => ({
      label: cutText(label, 400),
      description: cutText(description, 2_000),
    })),
  };
}

/** Passes engine events to the companions, then stores them as events and journal progress. */
export class EngineEvents {
  readonly #context: AttemptContext;
  readonly #requests: OpenRequests;
  readonly #companions: Pick<Companions, 'engineEvent'>;
  #garbage = 0;

  constructor(
    context: AttemptContext,
    parts: { requests: OpenRequests; companions: Pick<Companions, 'engineEvent'> },
  ) {
    this.#context = context;
    this.#requests = parts.requests;
    this.#companions = parts.companions;
  }

  /** Handles an event; `turn` is the number of the turn under this lease. */
  async handle(event: EngineEvent, turn: number): Promise<void> {
    const { recorder, deps, ref, result, spec } = this.#context;
    const turnNumber = (spec.turnsBefore ?? 0) + turn;
    await this.#companions.engineEvent(event);
    switch (event.kind) {
      case 'turn_started':
        result.turnId = event.turnId;
        return recorder.event('turn', {
          state: 'started',
          turnId: event.turnId,
          number: turnNumber,
        });
      case 'turn_ended':
        return this.#turnEnded(event, turnNumber);
      case 'item_started':
        if (!SHOWN_AT_START.has(event.item.type)) return;
        return recorder.event('item', { state: 'started', itemId: event.itemId, item: event.item });
      case 'item_ended':
        this.#noteMessage(event.item);
        return recorder.event('item', { state: 'ended', itemId: event.itemId, item: event.item });
      case 'delta':
        return deps.uplink.delta(ref, {
          itemId: event.itemId,
          stream: event.stream,
          text: event.text,
        });
      case 'stats':
        return;
      case 'request':
        return this.#asked(event);
      case 'request_resolved':
        return this.#resolved(event.requestId);
      case 'notice':
        return recorder.event('notice', { level: event.level, message: event.message });
      case 'garbage':
        return this.#noteGarbage(event);
    }
  }

  async #turnEnded(
    event: Extract<EngineEvent, { kind: 'turn_ended' }>,
    number: number,
  ): Promise<void> {
    const { recorder } = this.#context;
    recorder.progress({ turnOpen: false });
    const message = event.failure?.message;
    await recorder.event('turn', {
      state: 'ended',
      turnId: event.turnId,
      number,
      status: event.status,
      ...(message === undefined ? {} : { message }),
    });
  }

  #noteMessage(item: EngineItem): void {
    if (item.type !== 'message' || item.text.trim() === '') return;
    const { result } = this.#context;
    const { text, marker } = splitMarker(item.text);
    if (marker !== null) result.marker = marker;
    // A message with only the marker does not replace the previous text.
    if (text !== '' || result.summary === null) result.summary = cutText(text, MAX_SUMMARY_CHARS);
    this.#context.recorder.progress({ marker: result.marker, summary: result.summary });
  }

  async #asked(event: Extract<EngineEvent, { kind: 'request' }>): Promise<void> {
    const { requestId, turnId } = event;
    const questions = event.questions.slice(0, MAX_QUESTIONS).map(fitQuestion);
    await this.#context.recorder.event('request', { requestId, turnId, questions });
    this.#requests.opened(requestId);
  }

  async #resolved(requestId: string): Promise<void> {
    this.#requests.closed(requestId);
    await this.#context.recorder.event('request_resolved', { requestId });
  }

  async #noteGarbage(event: Extract<EngineEvent, { kind: 'garbage' }>): Promise<void> {
    this.#garbage += 1;
    if (this.#garbage > MAX_GARBAGE_EVENTS) return;
    const last =
      this.#garbage === MAX_GARBAGE_EVENTS ? ' (further lines of this kind are not shown)' : '';
    const text = `not a message (${event.bytes} bytes)${last}: ${event.sample}`;
    await this.#context.recorder.log('engine', text);
  }
}

/**
 * Splits an agent's message into its text and the marker, which only its last non-empty line can
 * be.
 */
function splitMarker(message: string): { text: string; marker: Marker | null } {
  const lines = message.split(/\r?\n/);
  let last = lines.length - 1;
  while (last >= 0 && (lines[last] ?? '').trim() === '') last -= 1;
  const marker = statusOfLine(lines[last] ?? '');
  if (marker === null) return { text: message.trim(), marker };
  return { text: lines.slice(0, last).join('\n').trim(), marker };
}
