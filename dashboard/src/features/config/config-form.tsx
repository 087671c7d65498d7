import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { plural } from '../../format/format-count.ts';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { isOverlaid, type ValueChange, valueAt } from './value-at.ts';
import { type Draft, isSame } from './draft.ts';
import { configQuery, overlayQuery, removeOverlayPath, setOverlayPath } from './queries.ts';
import { keepDraft, keptDrafts, watchKeptDrafts, withKeptDrafts } from './kept-drafts.ts';
import { ReviewChanges } from './review-changes.tsx';
import { SectionNav } from './section-nav.tsx';
import { SettingField } from './setting-field.tsx';
import { type SchemaNode, sectionsOf } from './sections-of.ts';
import { Button } from '../../ui/button.tsx';

/**
 * Sections that have their own page with a form, and a chapter of the same name in the
 * documentation.
 */
const GUIDED: ReadonlyMap<string, '/automations' | '/alerts'> = new Map([
  ['automations', '/automations'],
  ['alerts', '/alerts'],
]);

type Props = {
  schema: SchemaNode;
  config: Record<string, unknown>;
  overlay: Record<string, unknown>;
  /** Name of the shown section. */
  shown: string | undefined;
};

/**
 * The configuration as a form, section by section; drafts stay until they are saved or discarded.
 */
export function ConfigForm({ schema, config, overlay, shown }: Props) {
  const client = useQueryClient();
  const sections = useMemo(() => sectionsOf(schema), [schema]);
  const [drafts, setDrafts] = useState(() => keptDrafts(sections, config));
  useEffect(
    () =>
      watchKeptDrafts(() =>
        setDrafts((before) => withKeptDrafts(before, keptDrafts(sections, config))),
      ),
    [sections, config],
  );
  const [reviewing, setReviewing] = useState(false);
  const [filter, setFilter] = useState('');
  const section = sections.find(({ name }) => name === shown) ?? sections[0];
  const change = (path: string, given: Draft | null) => {
    const draft = given === null || isSame(given, valueAt(config, path)) ? null : given;
    keepDraft(path, draft);
    setDrafts((before) => {
      const next = new Map(before);
      if (draft === null) next.delete(path);
      else next.set(path, draft);
      return next;
    });
  };
  const discardAll = () => {
    for (const path of drafts.keys()) change(path, null);
  };
  const save = async () => {
    try {
      for (const [path, draft] of drafts) {
        if (draft.kind === 'value') await setOverlayPath(path, draft.value);
        if (draft.kind === 'reset') await removeOverlayPath(path);
        // A saved value is no longer a draft, even when a later one is refused.
        change(path, null);
      }
      showToast(`${plural(drafts.size, 'change')} saved.`);
    } finally {
      await client.invalidateQueries({ queryKey: configQuery.queryKey });
      await client.invalidateQueries({ queryKey: overlayQuery.queryKey });
    }
  };
  const settings =
    filter === ''
      ? (section?.settings ?? [])
      : sections
          .flatMap((each) => each.settings)
          .filter(({ path, description }) =>
            `${path} ${description}`.toLowerCase().includes(filter.toLowerCase()),
          );
  const guided = section === undefined ? undefined : GUIDED.get(section.name);
  const wrong = [...drafts.values()].some((draft) => draft.kind === 'wrong');
  return (
    <div class="config">
      <SectionNav
        sections={sections.map(({ name, settings: inside }) => ({
          name,
          drafts: inside.filter(({ path }) => drafts.has(path)).length,
        }))}
        shown={filter === '' ? section?.name : undefined}
        filter={filter}
        onFilter={setFilter}
      />
      <div class="config-settings">
        <h2>{filter === '' ? section?.name : `Settings matching “${filter}”`}</h2>
        {filter === '' && section !== undefined && (
          <p class="about">
            {section.description}{' '}
            {guided !== undefined && (
              <>
                <Link to={guided}>Edit as a form</Link> ·{' '}
                <Link to="/docs/$page" params={{ page: 'notifications' }} hash={section.name}>
                  What can be written here
                </Link>
              </>
            )}
          </p>
        )}
        {settings.length === 0 && <p class="quiet">No matching settings.</p>}
        {settings.map((setting) => (
          <SettingField
            key={setting.path}
            setting={setting}
            current={valueAt(config, setting.path)}
            overlaid={isOverlaid(overlay, setting.path)}
            draft={drafts.get(setting.path)}
            onDraft={(draft) => change(setting.path, draft)}
          />
        ))}
      </div>
      {drafts.size > 0 && (
        <div class="config-save panel" role="status">
          <span class="grow">
            {plural(drafts.size, 'change')} not saved{wrong && ', some are invalid'}
          </span>
          <Button onClick={discardAll}>Discard all</Button>
          <Button icon="compare" primary disabled={wrong} onClick={() => setReviewing(true)}>
            Review and save
          </Button>
        </div>
      )}
      {reviewing && (
        <ReviewChanges
          changes={[...drafts].map(([path, draft]) => changeOf(path, draft, config))}
          restarts={sections
            .flatMap((each) => each.settings)
            .filter(({ path, restart }) => restart !== null && drafts.has(path))
            .map(({ path }) => path)}
          save={save}
          onClose={() => setReviewing(false)}
        />
      )}
    </div>
  );
}

function changeOf(path: string, draft: Draft, config: unknown): ValueChange {
  const after = draft.kind === 'value' ? draft.value : undefined;
  return { path, before: valueAt(config, path), after };
}
