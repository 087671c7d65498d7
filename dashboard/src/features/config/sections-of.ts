import { valueAt } from './value-at.ts';

/** The parts of a JSON schema that a form needs. */
export type SchemaNode = {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  minimum?: number;
  maximum?: number;
  /** What must be restarted before a change takes effect; our extension of the standard. */
  restart?: string;
  /** Complete example values. */
  examples?: unknown[];
};

export type SettingKind = 'text' | 'number' | 'switch' | 'choice' | 'lines' | 'json';

/** One value that a person may set. */
export type Setting = {
  /** Dotted path, as in the overlay. */
  path: string;
  kind: SettingKind;
  description: string;
  options: string[];
  /** Null is a valid value. */
  nullable: boolean;
  whole: boolean;
  restart: string | null;
  /** Example of a value; undefined: the schema has none. */
  example?: unknown;
};

export type Section = { name: string; description: string; settings: Setting[] };

/**
 * The schema's top level as sections of a form; a value without a suitable control is edited as
 * JSON.
 */
export function sectionsOf(schema: SchemaNode): Section[] {
  return Object.entries(schema.properties ?? {}).map(([name, node]) => ({
    name,
    description: node.description ?? '',
    settings: settingsOf(name, node).map((setting) => ({
      ...setting,
      example: schema.examples
        ?.map((example) => valueAt(example, setting.path))
        .find((value) => value !== undefined),
    })),
  }));
}

function settingsOf(path: string, node: SchemaNode): Setting[] {
  if (node.properties !== undefined) {
    return Object.entries(node.properties).flatMap(([name, inner]) =>
      settingsOf(`${path}.${name}`, inner),
    );
  }
  const choices = (node.anyOf ?? []).filter((each) => each.type !== 'null');
  const [only] = choices;
  const nullable = choices.length < (node.anyOf ?? []).length;
  const shape = nullable && choices.length === 1 && only !== undefined ? only : node;
  return [
    {
      path,
      kind: kindOf(shape),
      description: node.description ?? '',
      options: optionsOf(shape),
      nullable,
      whole: shape.type === 'integer',
      restart: node.restart ?? null,
    },
  ];
}

function kindOf(node: SchemaNode): SettingKind {
  if (optionsOf(node).length > 0) return 'choice';
  if (node.type === 'string') return 'text';
  if (node.type === 'boolean') return 'switch';
  if (node.type === 'integer' || node.type === 'number') return 'number';
  return node.type === 'array' && node.items?.type === 'string' ? 'lines' : 'json';
}

function optionsOf(node: SchemaNode): string[] {
  const values = node.const === undefined ? (node.enum ?? []) : [node.const];
  return values.filter((value) => typeof value === 'string');
}
