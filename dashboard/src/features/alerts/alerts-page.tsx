import type { AlertHistoryRow } from '@switchyard/shared/api/alert';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'preact/hooks';
import { plural } from '../../format/format-count.ts';
import { Badge, type Tone } from '../../ui/marks/badge.tsx';
import { HistoryPanel } from '../../ui/data/history-panel.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { ListPage } from '../../ui/data/list-page.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { EmptyState } from '../../ui/data/query-view.tsx';
import { configQuery } from '../config/queries.ts';
import { RowButtons } from '../config/rows/row-buttons.tsx';
import { type Row, rowsAt } from '../config/rows/row-fields.ts';
import { Button } from '../../ui/button.tsx';
import { alertHistoryQuery } from './queries.ts';
import { RuleDialog } from './rule-dialog.tsx';
import { RULES_PATH } from './rule-fields.ts';
import { rulesOf, type ShownRule } from './rules-of.ts';
import './alerts.css';

/** The alert rules over events and measurements, and their findings. */
export function AlertsPage() {
  const config = useQuery(configQuery);
  // The edited rule; null: none is edited; a `row` of null: a new one.
  const [edited, setEdited] = useState<{ row: Row | null } | null>(null);
  const add = () => setEdited({ row: null });
  return (
    <ListPage
      title="Alerts"
      about="Alert rules report problems, such as repeated failures or no running attempts."
      actions={
        <>
          <Link to="/config" search={{ section: 'alerts' }} className="button">
            <Icon name="code" size={14} /> Edit as JSON
          </Link>
          <Button icon="plus" disabled={config.data === undefined} onClick={add}>
            New rule
          </Button>
          {edited !== null && config.data !== undefined && (
            <RuleDialog {...{ ...edited, config: config.data }} onClose={() => setEdited(null)} />
          )}
        </>
      }
      query={config}
    >
      {(values) => {
        const rules = rulesOf(values);
        return (
          <>
            {rules.length === 0 ? (
              <EmptyState icon="siren" title="No alert rules">
                <p>
                  An alert rule notifies your channels and this page when a threshold is crossed.
                </p>
                <Button primary onClick={add}>
                  Add a rule
                </Button>
              </EmptyState>
            ) : (
              <ul class="rows panel alerts" aria-label="Rules">
                {rules.map((rule) => (
                  <RuleRow
                    key={rule.name}
                    rule={rule}
                    row={rowsAt(values, RULES_PATH).find(({ name }) => name === rule.name)}
                    onEdit={(row) => setEdited({ row })}
                  />
                ))}
              </ul>
            )}
            <History names={rules.map(({ name }) => name)} />
          </>
        );
      }}
    </ListPage>
  );
}

function RuleRow(props: { rule: ShownRule; row: Row | undefined; onEdit: (row: Row) => void }) {
  const { rule, row, onEdit } = props;
  return (
    <li>
      {rule.enabled ? (
        <Badge tone="info" icon="siren">
          Enabled
        </Badge>
      ) : (
        <Badge icon="pause">Disabled</Badge>
      )}
      <div class="grow wrap">
        <p>
          <strong>{rule.name}</strong> <span class="tag">{rule.severity}</span>
        </p>
        <p class="quiet">Fires when {rule.condition}</p>
      </div>
      {row !== undefined && (
        <RowButtons
          listPath={RULES_PATH}
          row={row}
          what="rule"
          removal="It no longer fires. What it found so far stays in the history."
          onEdit={() => onEdit(row)}
        />
      )}
    </li>
  );
}

const KINDS: Record<AlertHistoryRow['kind'], { word: string; tone: Tone }> = {
  evaluation: { word: 'OK', tone: 'quiet' },
  trigger: { word: 'Fired', tone: 'bad' },
  cooldown: { word: 'In cooldown', tone: 'warning' },
};

function History({ names }: { names: string[] }) {
  const [name, setName] = useState('');
  const query = useInfiniteQuery(alertHistoryQuery(name));
  const rows = query.data?.pages.flatMap((page) => page.history) ?? [];
  return (
    <HistoryPanel
      id="findings"
      title="Alert history"
      choiceLabel="Filter by rule"
      all="All rules"
      names={names}
      name={name}
      onName={setName}
      query={query}
      rows={rows}
      total={query.data?.pages[0]?.total ?? 0}
      empty="No rule has been evaluated yet."
    >
      {(row) => (
        <li key={row.id}>
          <Badge tone={KINDS[row.kind].tone}>{KINDS[row.kind].word}</Badge>
          <div class="grow wrap">
            <p>
              <strong>{row.ruleName}</strong> {row.message}
            </p>
            <p class="quiet">
              {plural(row.evaluations, 'evaluation')}, last <Ago at={row.lastAt} />
            </p>
          </div>
        </li>
      )}
    </HistoryPanel>
  );
}
