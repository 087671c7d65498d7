import { configJsonSchema } from '../config/config-json-schema.ts';

type Node = { description?: string; properties?: Record<string, Node> };
export type IndexedSetting = { path: string; section: string; description: string };

let made: readonly IndexedSetting[] | null = null;

/** Every setting and section by its path, with what it means; part of the version of the service. */
export function indexedSettings(): readonly IndexedSetting[] {
  made ??= settingsBelow('', configJsonSchema());
  return made;
}

function settingsBelow(path: string, { properties = {} }: Node): IndexedSetting[] {
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
