import * as z from 'zod';
import { LicenceNotAccepted } from '../../../engine/parts/install-part.ts';
import {
  DEFAULT_PART,
  type EnginePart,
  enginePart,
  engineParts,
  packagesFor,
} from '../../../engine/parts/engine-parts.ts';
import { imageFolder } from '../../../engine/parts/image-program.ts';

/** The engine of images for which no others are named. */
export const DEFAULT_ENGINE = DEFAULT_PART;

/** Label with an image's engines and their versions, as JSON. */
const ENGINES_LABEL = 'switchyard.engines';
/** Label with the licence of each engine in an image. */
const LICENCES_LABEL = 'switchyard.engine-licences';

const Versions = z.record(z.string(), z.string().max(100));

/** A list of engines is empty, or has a name that images cannot contain. */
export class BadEngineList extends Error {}

/** Whether images can contain an engine with this name. */
export const isKnownEngine = (name: string): boolean => enginePart(name) !== null;

/** Names from a comma-separated list without duplicates. Throws `BadEngineList`. */
export function parseEngines(text: string): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter(Boolean);
  const known = engineParts().map(({ name }) => name);
  const unknown = names.filter((name) => !isKnownEngine(name));
  if (names.length === 0 || unknown.length > 0) {
    const what =
      unknown.length > 0 ? `no engine is called ${unknown.join(', ')}` : 'none was named';
    throw new BadEngineList(`--engine takes some of ${known.join(', ')}: ${what}`);
  }
  return names;
}

/** Versions of engines that this version of Switchyard puts into an image. */
function pinnedEngines(names: readonly string[]): Record<string, string> {
  const versionOf = (name: string) => enginePart(name)?.version ?? 'unknown';
  return Object.fromEntries(names.map((name) => [name, versionOf(name)]));
}

/** The engines of an image by its label; null when the label is missing or invalid. */
export function labelledEngines(
  labels: Readonly<Record<string, string>> | null | undefined,
): Record<string, string> | null {
  try {
    const parsed = Versions.safeParse(JSON.parse(labels?.[ENGINES_LABEL] ?? 'null'));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Whether an image has all engines in their pinned versions. */
export function hasEngines(
  labels: Readonly<Record<string, string>> | null | undefined,
  names: readonly string[],
): boolean {
  const found = labelledEngines(labels) ?? {};
  return Object.entries(pinnedEngines(names)).every(([name, version]) => found[name] === version);
}

export function engineLabels(names: readonly string[]): Record<string, string> {
  const licences = names.map((name) => {
    const part = enginePart(name);
    const joined = part === null ? 'unknown' : [...new Set(licencesOf(part))].join(' and ');
    return `${name}: ${joined}${part?.publishable === false ? ', not to be published' : ''}`;
  });
  return {
    [ENGINES_LABEL]: JSON.stringify(pinnedEngines(names)),
    [LICENCES_LABEL]: licences.join('; '),
  };
}

function licencesOf({ packages, platforms }: EnginePart): string[] {
  return [...packages, ...Object.values(platforms).flat()].map(({ licence }) => licence);
}

/** The text of an image's file about its engines' licences. */
export function licencesText(names: readonly string[], platform: string): string {
  const lines = names.flatMap((name) => {
    const part = enginePart(name);
    if (part === null) return [];
    const packages = packagesFor(part, platform).map((pinned) => {
      const place = `${imageFolder(name)}/${pinned.folder}`;
      const texts = pinned.member === undefined ? `; its texts are in ${place}` : '';
      return `  ${pinned.package}: ${pinned.licence}${texts}`;
    });
    const notice = part.licenceNotice === null ? [] : ['', part.licenceNotice];
    return [`${part.title} ${part.version} (${imageFolder(name)})`, ...packages, ...notice, ''];
  });
  return `Licences of the agent engines in this image.\n\n${lines.join('\n')}`;
}

/** Throws `LicenceNotAccepted`, with the terms, if an engine's terms are not accepted. */
export function requireAcceptance(
  names: readonly string[],
  { acceptLicence = false }: { acceptLicence?: boolean | undefined },
): void {
  for (const name of names) {
    const part = enginePart(name);
    if (part === null || part.licenceNotice === null || acceptLicence) continue;
    throw new LicenceNotAccepted(
      `${part.licenceNotice}\n\nThe image was not built: add --accept-licence to put ${part.title} into it, or leave it out of --engine.`,
    );
  }
}
