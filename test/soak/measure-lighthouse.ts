import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixFailingTest } from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import { median } from '../bench/median.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { findChromium } from '../support/chromium.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { type LighthouseScores, runLighthouse } from './run-lighthouse.ts';

const SCORE_MIN = 95;
/** One look depends on what else the machine does; the score of the middle one counts. */
const LOOKS = 3;
const ISSUES = 6;

export type LighthouseReport = {
  /** The looks at each page, by its path. */
  pages: Record<string, LighthouseScores[]>;
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
      const looks: LighthouseScores[] = [];
      for (let look = 1; look <= LOOKS; look += 1) {
        say(`${path}, look ${look} of ${LOOKS} …`);
        looks.push(await runLighthouse(`${bench.service.url}${path}`, { chromium, folder }));
      }
      report.pages[path] = looks;
      report.problems.push(...judged(path, looks, say));
    }
    return report;
  } finally {
    await close();
  }
}

/** Has agents finish some issues; the first one's identifier. */
async function finishIssues({ client }: Bench, say: (line: string) => void): Promise<string> {
  say(`${ISSUES} issues are worked on …`);
  const issues = [];
  for (let issue = 1; issue <= ISSUES; issue += 1) {
    issues.push(await client.createIssue({ title: `Durations come out wrong, case ${issue}` }));
  }
  for (const { identifier } of issues) {
    const { status } = await client.settled(identifier);
    if (status !== 'completed') throw new Error(`${identifier} is ${status}`);
  }
  const [first] = issues;
  if (first === undefined) throw new Error('no issue was made');
  return first.identifier;
}

/** What keeps the page's middle scores below the least; says the figures. */
function judged(path: string, looks: LighthouseScores[], say: (line: string) => void): string[] {
  const middle = (figure: keyof Omit<LighthouseScores, 'failed'>) =>
    median(looks.map((look) => look[figure]));
  const ms = (figure: 'fcpMs' | 'lcpMs' | 'tbtMs') => `${Math.round(middle(figure))} ms`;
  say(
    `${path}: performance ${middle('performance')}, accessibility ${middle('accessibility')}; ` +
      `first paint ${ms('fcpMs')}, largest ${ms('lcpMs')}, blocked ${ms('tbtMs')}, ` +
      `shift ${middle('cls').toFixed(3)}`,
  );
  for (const audit of new Set(looks.flatMap(({ failed }) => failed))) say(`  ${audit}`);
  return (['performance', 'accessibility'] as const)
    .filter((category) => middle(category) < SCORE_MIN)
    .map((category) => `${path}: ${category} ${middle(category)} is below ${SCORE_MIN}`);
}
