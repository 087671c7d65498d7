import { configJsonSchema } from '../../config/schema/config-json-schema.ts';

type Node = { description?: string; properties?: Record<string, Node> };
type KnownSetting = { path: string; section: string; description: string };

let made: readonly KnownSetting[] | null = null;

/** Every setting and section by its path, with what it means; part of the version of the service. */
export function knownSettings(): readonly KnownSetting[] {
  made ??= settingsBelow('', configJsonSchema());
  return made;
}

function settingsBelow(path: string, { properties = {} }: Node): KnownSetting[] {
  return Object.entries(properties).flatMap(([name, node]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const setting = {
      path: own,
      section: own.split('.')[0] ?? own,
      description: node.description ?? '',
    };
    return [setting, ...settingsBelow(own, node)];
  });
}
