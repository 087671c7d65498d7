import { chromiumPart } from '../chromium.ts';
import { composePart } from '../compose/compose-part.ts';
import { dockerPart } from '../docker.ts';
import { enginePartOf } from '../engines/engine-part-of.ts';
import { githubDescriptionPart } from '../github/github-description-part.ts';
import { hostsPart } from '../hosts/hosts-part.ts';
import { linearSchemaPart } from '../linear/linear-schema-part.ts';
import { promtoolPart } from '../promtool.ts';
import { sqldPart } from '../sqld/sqld-part.ts';
import type { SystemPart } from '../system-part.ts';

/** A part of the machine that some tests need. */
export type TestPart = {
  name: string;
  part: SystemPart;
  /** Suites in which tests are left out without it. */
  suites: readonly string[];
  /** Whether the gate's tests need it too. */
  inGate: boolean;
  /** Without it tests are less strict, and none is left out: never a failure. */
  isNotice: boolean;
};

/** Looks for every part; about a second. */
export async function findTestParts(): Promise<TestPart[]> {
  const isRoot = process.getuid?.() === 0;
  const engineSuites = ['processes', 'engines', 'chaos', 'docker', 'redteam'];
  const needed = (name: string, part: SystemPart, suites: readonly string[], inGate: boolean) => ({
    ...{ name, part, suites, inGate },
    isNotice: false,
  });
  const noticed = (name: string, part: SystemPart, suites: readonly string[]) => ({
    ...{ name, part, suites },
    inGate: true,
    isNotice: true,
  });
  return [
    needed('docker', await dockerPart(), ['docker', 'redteam'], true),
    needed('browser', chromiumPart(), ['browser'], true),
    needed('promtool', promtoolPart(), ['contracts'], true),
    needed('sqld', sqldPart(), ['workerd', 'contracts', 'e2e', 'browser'], true),
    // Only root can make network namespaces; for others they are nothing that is missing.
    { ...needed('hosts', hostsPart(), ['hosts'], true), isNotice: !isRoot },
    needed('docker-compose', composePart(), ['docker'], false),
    needed('engine opencode', enginePartOf('opencode'), engineSuites, false),
    needed('engine claude', enginePartOf('claude'), engineSuites, false),
    noticed('Linear schema', linearSchemaPart(), ['contracts', 'e2e']),
    noticed('GitHub description', githubDescriptionPart(), ['contracts', 'e2e']),
  ];
}

/**
 * A line for each missing part of a run: those that leave tests out, and the notices.
 * @param suites names of the suites that ran
 */
export function missingPartLines(
  parts: readonly TestPart[],
  suites: readonly string[],
  isGate: boolean,
): { missing: string[]; notices: string[] } {
  const lines = { missing: [] as string[], notices: [] as string[] };
  for (const { name, part, isNotice, ...where } of parts) {
    const counts =
      where.suites.some((suite) => suites.includes(suite)) && (where.inGate || !isGate);
    if (part.available || !counts) continue;
    lines[isNotice ? 'notices' : 'missing'].push(`${name} tests skipped: ${part.reason}`);
  }
  return lines;
}
