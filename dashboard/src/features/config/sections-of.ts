import { valueAt } from './value-at.ts';

/** A part of a JSON schema, as far as a form needs it. */
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
  /** Who has to be started again before a change counts; ours, not of the standard. */
  restart?: string;
  /** Whole values. */
  examples?: unknown[];
};

export type SettingKind = 'text' | 'number' | 'switch' | 'choice' | 'lines' | 'json';

/** One value that a person may set. */
export type Setting = {
  /** Dotted, as the overlay takes it. */
  path: string;
  kind: SettingKind;
  description: string;
  options: string[];
  /** Null is a value of its own. */
  nullable: boolean;
  whole: boolean;
  restart: string | null;
  /** How a value may look; undefined: the schema has none. */
  example?: unknown;
};

export type Section = { name: string; description: string; settings: Setting[] };

/** The schema's top level as sections of a form; what it cannot draw is given as JSON. */
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
