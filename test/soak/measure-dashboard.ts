import { setTimeout as delay } from 'node:timers/promises';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import type { AttemptStream } from '../bench/attempt-stream.ts';
import { connectFleet, startAttempts } from '../bench/bench-fleet.ts';
import { startControlPlaneProcess } from '../bench/control-plane-process.ts';
import { percentile } from '../bench/percentile.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { findChromium } from '../support/chromium.ts';

const EVENTS_PER_S = 500;
const BURST_EVENTS = 25;
const SECONDS = 60;
/** Used like afterwards: what grows then is not what the page holds of its last drawings. */
const WARM_SECONDS = 20;
/** Between two things that a person does meanwhile. */
const ACT_EVERY_MS = 2_000;
/** For what is drawn after the last event. */
const SETTLE_MS = 500;
const MIB = 1_048_576;
/** Goals: 95 % of the frames, and from a key or click to what it changed on the screen. */
const FRAME_P95_MS = 50;
const INTERACTION_MS = 100;
/** The log keeps its rows; more than this for each is a leak. */
const ROW_MAX_BYTES = 4_096;
/** Nodes wait for a collection in numbers that vary and do not grow; a kept row has ten or more. */
const EVENT_MAX_NODES = 0.1;

export type DashboardReport = {
  seconds: number;
  events: number;
  frames: number;
  frameP50Ms: number;
  frameP95Ms: number;
  interactions: number;
  interactionP50Ms: number;
  interactionMaxMs: number;
  /** After a collection, before and after the events. */
  heapMib: [before: number, after: number];
  domNodes: [before: number, after: number];
  heapBytesPerEvent: number;
  problems: string[];
};

/** Remembers how long each frame and each interaction took. */
const WATCH = `(() => {
  const seen = { frames: [], interactions: [] };
  window.seen = seen;
  let last = performance.now();
  const tick = (now) => { seen.frames.push(now - last); last = now; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.interactionId) seen.interactions.push(entry.duration);
  }).observe({ type: 'event', durationThreshold: 16 });
})()`;

/**
 * Streams events into the open log of a running attempt, through socket, commit and event stream,
 * while somebody uses the page, and tells how smooth that was.
 */
export async function measureDashboard(say: (line: string) => void): Promise<DashboardReport> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('no Chromium: see test/support/chromium.ts');
  await builtDashboard();
  const controlPlane = await startControlPlaneProcess();
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc'],
  });
  try {
    const runners = await connectFleet(controlPlane, { count: 1, slots: 1 });
    const [stream] = await startAttempts(controlPlane, runners, 1);
    if (stream === undefined) throw new Error('no attempt runs');
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${controlPlane.url}/issues/SY-1`);
    await offer(stream, 1);
    await page.getByRole('log').waitFor();
    await used(page, () => offer(stream, WARM_SECONDS));
    say(`${EVENTS_PER_S} events/s for ${SECONDS} s …`);
    const session = await page.context().newCDPSession(page);
    const before = await memory(page, session);
    await page.evaluate(WATCH);
    await used(page, () => offer(stream, SECONDS));
    const seen = await page.evaluate<{ frames: number[]; interactions: number[] }>('window.seen');
    const after = await memory(page, session);
    for (const runner of runners) runner.close();
    return judged(seen, before, after);
  } finally {
    await browser.close();
    await controlPlane.stop();
  }
}

/** Every burst at its time, whatever became of the one before: the load is open. */
async function offer(stream: AttemptStream, seconds: number): Promise<void> {
  const betweenMs = (BURST_EVENTS * 1_000) / EVENTS_PER_S;
  const startedAtMs = performance.now();
  for (let burst = 0; burst * betweenMs < seconds * 1_000; burst += 1) {
    await delay(Math.max(0, startedAtMs + burst * betweenMs - performance.now()));
    stream.offer(BURST_EVENTS);
  }
}

/** Lets something go on while somebody uses the page. */
async function used(page: Page, goOn: () => Promise<void>): Promise<void> {
  const acts = new AbortController();
  const acting = act(page, acts.signal);
  await goOn();
  acts.abort();
  await acting;
}

/** What a reader does with a log that grows: finds, moves from line to line, goes back to the end. */
async function act(page: Page, signal: AbortSignal): Promise<void> {
  const find = page.getByRole('searchbox', { name: 'Find in log' });
  const steps = [
    () => find.press('x'),
    () => find.press('Backspace'),
    () => page.getByRole('log').press('j'),
    () => page.getByRole('log').press('k'),
    () => page.getByRole('log').press('e'),
  ];
  for (let step = 0; !signal.aborted; step += 1) {
    await steps[step % steps.length]?.();
    await delay(ACT_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

type Memory = { heapBytes: number; nodes: number };

/**
 * What the page holds with nothing sought and the end in view. What one collection frees may have
 * held nodes: those go with the next.
 */
async function memory(page: Page, session: CDPSession): Promise<Memory> {
  await page.getByRole('searchbox', { name: 'Find in log' }).fill('');
  await page.getByRole('log').press('e');
  for (let collection = 0; collection < 2; collection += 1) {
    await session.send('HeapProfiler.collectGarbage');
    await delay(SETTLE_MS);
  }
  const heap = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  return { heapBytes: heap.usedSize, nodes };
}

function judged(
  seen: { frames: number[]; interactions: number[] },
  before: Memory,
  after: Memory,
): DashboardReport {
  const events = EVENTS_PER_S * SECONDS;
  const frameP95Ms = percentile(seen.frames, 0.95);
  const interactionMaxMs = Math.max(0, ...seen.interactions);
  const heapBytesPerEvent = (after.heapBytes - before.heapBytes) / events;
  const nodesPerEvent = (after.nodes - before.nodes) / events;
  const problems = [
    frameP95Ms > FRAME_P95_MS ? `95 % of the frames took up to ${frameP95Ms} ms` : null,
    interactionMaxMs > INTERACTION_MS ? `an interaction took ${interactionMaxMs} ms` : null,
    heapBytesPerEvent > ROW_MAX_BYTES ? `memory grew by ${heapBytesPerEvent} per event` : null,
    nodesPerEvent > EVENT_MAX_NODES ? `the page grew by ${nodesPerEvent} nodes per event` : null,
  ].filter((problem) => problem !== null);
  return {
    seconds: SECONDS,
    events,
    frames: seen.frames.length,
    frameP50Ms: percentile(seen.frames, 0.5),
    frameP95Ms,
    interactions: seen.interactions.length,
    interactionP50Ms: seen.interactions.length === 0 ? 0 : percentile(seen.interactions, 0.5),
    interactionMaxMs,
    heapMib: [before.heapBytes / MIB, after.heapBytes / MIB],
    domNodes: [before.nodes, after.nodes],
    heapBytesPerEvent,
    problems,
  };
}
