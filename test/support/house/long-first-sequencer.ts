import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Projects with long files first, and those that share a Docker daemon apart. Vitest's own order is
 * by name, so that on a clone that has run nothing yet a file of two minutes would begin last, with
 * every other worker idle.
 */
const LONG_FIRST: readonly string[] = [
  'simulation',
  'browser',
  'docker',
  'e2e',
  'workerd',
  'chaos',
  'redteam',
  'hosts',
  'contracts',
  'fuzz',
  'architecture',
];

/** Files of long projects first, inside a project as vitest has it; unknown projects last. */
export default class LongFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ project }: TestSpecification): number {
  const place = LONG_FIRST.indexOf(project.name);
  return place === -1 ? LONG_FIRST.length : place;
}
