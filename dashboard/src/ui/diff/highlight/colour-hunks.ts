import type { HunkData, HunkTokens } from 'react-diff-view';

/** Timeout for colouring one file; after it the file stays uncoloured. */
const COLOUR_MS = 3_000;
/** A longer file is never coloured: nobody needs colours in it. */
const COLOURED_MAX_CHARS = 200_000;

type Job = { hunks: HunkData[]; language: string; done: (tokens: HunkTokens | null) => void };
type Coloured = { id: number; tokens: HunkTokens };

const waiting: Job[] = [];
let worker: Worker | null = null;
let lastId = 0;
let busy = false;

/**
 * The tokens of each line with their kinds; null where the text is too long, or colouring times out
 * or fails.
 */
export function colourHunks(hunks: HunkData[], language: string): Promise<HunkTokens | null> {
  const chars = hunks
    .flatMap(({ changes }) => changes)
    .reduce((sum, { content }) => sum + content.length, 0);
  if (chars > COLOURED_MAX_CHARS) return Promise.resolve(null);
  return new Promise((done) => {
    waiting.push({ hunks, language, done });
    next();
  });
}

function next(): void {
  const job = busy ? undefined : waiting.shift();
  if (job === undefined) return;
  busy = true;
  const id = ++lastId;
  const at = (worker ??= new Worker(new URL('./colour-worker.ts', import.meta.url), {
    type: 'module',
  }));
  const settle = (tokens: HunkTokens | null) => {
    clearTimeout(timer);
    at.removeEventListener('message', onMessage);
    at.removeEventListener('error', giveUp);
    busy = false;
    job.done(tokens);
    next();
  };
  const onMessage = ({ data }: MessageEvent<Coloured>) => data.id === id && settle(data.tokens);
  const giveUp = () => {
    at.terminate();
    worker = null;
    settle(null);
  };
  const timer = setTimeout(giveUp, COLOUR_MS);
  at.addEventListener('message', onMessage);
  at.addEventListener('error', giveUp);
  at.postMessage({ id, hunks: job.hunks, language: job.language }, []);
}
