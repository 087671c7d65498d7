import { execFile, type ExecFileException } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { childEnvironment, findNpm } from '../../control-plane/cli/bootstrap/find-npm.mjs';

/** Apache-2.0. 85 packages that nothing else here needs, so npm fetches it into its own cache. */
const PACKAGE = 'lighthouse@13.5.0';
/** The first time, it is fetched. */
const RUN_TIMEOUT_MS = 10 * 60_000;
const PASSED = 0.9;
const SAID_CHARS = 2_000;

const Audit = z.object({
  title: z.string(),
  score: z.number().nullable(),
  numericValue: z.number().optional(),
  displayValue: z.string().optional(),
});
const Category = z.object({
  score: z.number().nullable(),
  auditRefs: z.array(z.object({ id: z.string() })),
});
const Report = z.object({
  environment: z.object({ benchmarkIndex: z.number() }),
  runtimeError: z.object({ code: z.string(), message: z.string() }).optional(),
  categories: z.object({ performance: Category, accessibility: Category }),
  audits: z.record(z.string(), Audit),
});
type Report = z.infer<typeof Report>;

/** What Lighthouse says of a page; scores from 0 to 100. */
export type LighthouseScores = {
  performance: number;
  accessibility: number;
  /** First and largest contentful paint, and how long the main thread could not answer. */
  fcpMs: number;
  lcpMs: number;
  tbtMs: number;
  /** How much the layout shifted. */
  cls: number;
  /** How much this machine got done just before, by Lighthouse's own measure: more is quicker. */
  speed: number;
  /** What did not pass, by name. */
  failed: string[];
};

/**
 * Looks at a page once with Lighthouse's desktop preset, in a browser of its own. `folder` takes its
 * report. Throws with Lighthouse's own words, also when npm cannot fetch it.
 */
export async function runLighthouse(
  url: string,
  { chromium, folder }: { chromium: string; folder: string },
): Promise<LighthouseScores> {
  const path = join(folder, 'lighthouse.json');
  // What failed before must not be taken for this look.
  await rm(path, { force: true });
  const args = [
    findNpm(),
    'exec',
    '--yes',
    '--loglevel=error',
    '--package',
    PACKAGE,
    '--',
    'lighthouse',
    url,
    '--preset=desktop',
    '--only-categories=performance,accessibility',
    '--output=json',
    `--output-path=${path}`,
    '--quiet',
    '--no-enable-error-reporting',
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu --no-first-run',
  ];
  const env = {
    ...childEnvironment(process.env, dirname(process.execPath)),
    CHROME_PATH: chromium,
  };
  try {
    // Outside the project, whose own packages npm would look through. SIGINT ends the browser too.
    await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env,
      timeout: RUN_TIMEOUT_MS,
      killSignal: 'SIGINT' as const,
      maxBuffer: 16 * 1_048_576,
    });
  } catch (error) {
    // A page that it could not judge is told of in its report, and by nothing else but the exit code.
    const judged = (await readReport(path))?.runtimeError;
    if (judged) throw new Error(`Lighthouse: ${judged.message}`, { cause: error });
    throw new Error(`${PACKAGE} ${endOf(error)}: ${wordsOf(error)}`, { cause: error });
  }
  const report = await readReport(path);
  if (report === null) throw new Error(`${PACKAGE} ended well and left no report that is one`);
  return scoresOf(report);
}

/** Null for none, or for one that was only half written. */
async function readReport(path: string): Promise<Report | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  try {
    return text === null ? null : Report.parse(JSON.parse(text));
  } catch {
    // Its author ended in the middle: the caller says how.
    return null;
  }
}

/** All that it said, from its end; npm's and Lighthouse's words come on either output. */
function wordsOf(error: unknown): string {
  const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
  const said = `${stdout}\n${stderr}`.trim();
  return said === '' ? 'it said nothing' : said.slice(-SAID_CHARS);
}

/** How its process ended: by its time being over, by a signal of somebody else, or by itself. */
function endOf(error: unknown): string {
  const { killed, signal, code } = error as ExecFileException;
  if (killed === true) return `was not done within ${RUN_TIMEOUT_MS / 60_000} minutes`;
  if (signal) return `was ended from outside by ${signal}`;
  return `could not be fetched or did not run (exit code ${code})`;
}

function scoresOf({ environment, runtimeError, categories, audits }: Report): LighthouseScores {
  if (runtimeError !== undefined) throw new Error(`Lighthouse: ${runtimeError.message}`);
  const figure = (id: string) => audits[id]?.numericValue ?? 0;
  const score = (category: z.infer<typeof Category>) => Math.round((category.score ?? 0) * 100);
  const failed = Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs.flatMap(({ id }) => {
      const audit = audits[id];
      if (audit === undefined || audit.score === null || audit.score >= PASSED) return [];
      return [`${id}: ${audit.title}${audit.displayValue ? ` (${audit.displayValue})` : ''}`];
    }),
  );
  return {
    performance: score(categories.performance),
    accessibility: score(categories.accessibility),
    fcpMs: figure('first-contentful-paint'),
    lcpMs: figure('largest-contentful-paint'),
    tbtMs: figure('total-blocking-time'),
    cls: figure('cumulative-layout-shift'),
    speed: environment.benchmarkIndex,
    failed,
  };
}
