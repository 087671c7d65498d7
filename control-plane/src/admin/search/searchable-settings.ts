import { configJsonSchema } from '../../config/schema/config-json-schema.ts';

type Node = { description?: string; properties?: Record<string, Node> };
type SearchableSetting = { path: string; section: string; description: string };

let made: readonly SearchableSetting[] | null = null;

/**
 * Every setting and section by path, with its description; constant for a version of the service.
 */
export function searchableSettings(): readonly SearchableSetting[] {
  made ??= settingsBelow('', configJsonSchema());
  return made;
}

function settingsBelow(path: string, { properties = {} }: Node): SearchableSetting[] {
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
