import { messageOf } from '@switchyard/shared/message-of';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { median } from '../bench/median.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { findChromium } from '../support/chromium.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { type LighthouseScores, runLighthouse } from './run-lighthouse.ts';

const SCORE_MIN = 95;
/** One look depends on what else the machine does; the score of the middle one counts. */
const LOOKS = 3;
/** Looks that may fail altogether, as they do when the browser does not answer in time. */
const FAILED_MAX = 3;
const ISSUES = 6;
/** For all of them: another run may have the machine at the same time. */
const ISSUES_TIMEOUT_MS = 10 * 60_000;

/** With how busy the machine was: its load over the last minute for each processor. */
type Look = LighthouseScores & { loadPerCpu: number };
export type LighthouseReport = {
  /** The looks at each page, by its path. */
  pages: Record<string, Look[]>;
  problems: string[];
};

/** Lighthouse's scores of the overview and of a finished issue, with a real service behind them. */
export async function measureLighthouse(
  say: (line: string) => void,
  started: (close: () => Promise<void>) => void,
): Promise<LighthouseReport> {
  const chromium = findChromium();
  if (chromium === null) throw new Error('no Chromium: see test/support/chromium.ts');
  await builtDashboard();
  const folder = await mkdtemp(join(tmpdir(), 'swy-lighthouse-'));
  let bench: Bench | null = null;
  const close = async () => {
    await bench?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  started(close);
  try {
    bench = await startBench({ script: fixFailingTest() });
    const finished = await finishIssues(bench, say);
    const report: LighthouseReport = { pages: {}, problems: [] };
    for (const path of ['/', `/issues/${finished}`]) {
      const looks = await checkAt(`${bench.service.url}${path}`, { chromium, folder }, say);
      report.pages[path] = looks;
      report.problems.push(...judged(path, looks, say));
    }
    return report;
  } finally {
    await close();
  }
}

/** Looks until there are enough; one that fails is told of and tried again, a few times. */
async function checkAt(
  url: string,
  options: { chromium: string; folder: string },
  say: (line: string) => void,
): Promise<Look[]> {
  const looks: Look[] = [];
  for (let failed = 0; looks.length < LOOKS;) {
    const loadPerCpu = (loadavg()[0] ?? 0) / availableParallelism();
    try {
      const look = { ...(await runLighthouse(url, options)), loadPerCpu };
      looks.push(look);
      say(`${url}, look ${looks.length} of ${LOOKS}: ${lookWords(look)}`);
    } catch (error) {
      failed += 1;
      if (failed > FAILED_MAX) throw error;
      say(`${url}, a look that failed: ${messageOf(error)}`);
    }
  }
  return looks;
}

const lookWords = ({ performance, accessibility, tbtMs, loadPerCpu }: Look) =>
  `performance ${performance}, accessibility ${accessibility}, ` +
  `blocked ${Math.round(tbtMs)} ms; load ${loadPerCpu.toFixed(1)} per processor`;

/** Has agents finish some issues; the first one's identifier. */
async function finishIssues({ client }: Bench, say: (line: string) => void): Promise<string> {
  say(`${ISSUES} issues are worked on …`);
  const issues = [];
  for (let issue = 1; issue <= ISSUES; issue += 1) {
    issues.push(await client.createIssue({ title: `Durations come out wrong, case ${issue}` }));
  }
  const untilMs = performance.now() + ISSUES_TIMEOUT_MS;
  for (const { identifier } of issues) {
    const { status } = await client.settled(identifier, Math.max(0, untilMs - performance.now()));
    if (status !== 'completed') throw new Error(`${identifier} is ${status}`);
  }
  const [first] = issues;
  if (first === undefined) throw new Error('no issue was made');
  return first.identifier;
}

/** What keeps the page's middle scores below the least; says the figures. */
function judged(path: string, looks: Look[], say: (line: string) => void): string[] {
  const middle = (figure: keyof Omit<Look, 'failed'>) => median(looks.map((look) => look[figure]));
  const ms = (figure: 'fcpMs' | 'lcpMs' | 'tbtMs') => `${Math.round(middle(figure))} ms`;
  say(
    `${path}: performance ${middle('performance')}, accessibility ${middle('accessibility')}; ` +
      `first paint ${ms('fcpMs')}, largest ${ms('lcpMs')}, blocked ${ms('tbtMs')}, ` +
      `shift ${middle('cls').toFixed(3)}; load ${middle('loadPerCpu').toFixed(1)} per processor`,
  );
  for (const audit of new Set(looks.flatMap(({ failed }) => failed))) say(`  ${audit}`);
  return (['performance', 'accessibility'] as const)
    .filter((category) => middle(category) < SCORE_MIN)
    .map(
      (category) =>
        `${path}: ${category} ${middle(category)} is below ${SCORE_MIN}, ` +
        `at a load of ${middle('loadPerCpu').toFixed(1)} per processor`,
    );
}
