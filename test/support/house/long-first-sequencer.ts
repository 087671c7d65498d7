import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SUITES } from '../suites/suites.ts';

const PLACES = new Map(SUITES.map(({ name, place }) => [name, place]));

/**
 * Files in the order of their suites' places, inside a suite as vitest has it. Vitest's own order on a
 * clone that has run nothing yet is by name.
 */
export default class LongFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ project }: TestSpecification): number {
  const place = PLACES.get(project.name);
  if (place === undefined) throw new Error(`${project.name} is no suite`);
  return place;
}
