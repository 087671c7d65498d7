import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { removeRepoRoute } from '../../api/actions.ts';
import { repoRoutesQuery } from '../../api/queries.ts';
import { plural } from '../../format/format-count.ts';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { ChecksDialog } from './checks/checks-dialog.tsx';
import { CorrectRoute } from './correct-route.tsx';
import { EvidenceDialog } from './evidence/evidence-dialog.tsx';
import { grantText } from './grant-draft.ts';
import { HindranceNote } from './hindrance-note.tsx';
import { MergeDialog } from './merge/merge-dialog.tsx';
import { mergeText } from './merge/merge-draft.ts';
import { ReviewDialog } from './reviews/review-dialog.tsx';
import { reviewText } from './reviews/review-draft.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { gitContextQuery } from './queries.ts';
import './routes.css';

type RepoRoutesProps = {
  routes: RepoRoute[];
  onChanged?: () => void;
  /** The list replaces the form that created the first route. */
  followsForm?: boolean;
};

/** A route whose further settings are being edited, and which ones. */
type Declaring = { route: RepoRoute; dialog: typeof ChecksDialog };

/** The repository routes with a runner's result for each. */
export function RepoRoutes({ routes, onChanged, followsForm = false }: RepoRoutesProps) {
  const client = useQueryClient();
  const sent = useRef<number | null>(followsForm ? 0 : null);
  // Kept here and not in the row, so that unsaved input survives when others change the list.
  const [declaring, setDeclaring] = useState<Declaring | null>(null);
  const Dialog = declaring?.dialog;
  const stale = () => {
    onChanged?.();
    return Promise.all([
      client.invalidateQueries({ queryKey: repoRoutesQuery.queryKey }),
      client.invalidateQueries({ queryKey: gitContextQuery.queryKey }),
    ]);
  };
  return (
    <>
      <ul class="rows panel repo-routes">
        {routes.map((route, index) => (
          <RouteRow
            key={`${index}:${route.url}`}
            {...{ route, index }}
            takesFocus={() => sent.current === index}
            onCorrected={() => (sent.current = index)}
            onDeclare={(dialog) => setDeclaring({ route, dialog })}
            onChanged={() => void stale()}
          />
        ))}
      </ul>
      {declaring !== null && Dialog !== undefined && (
        <Dialog
          route={declaring.route}
          onChanged={() => void stale()}
          onClose={() => setDeclaring(null)}
        />
      )}
    </>
  );
}

type RouteRowProps = {
  route: RepoRoute;
  index: number;
  /**
   * Whether the focused form has closed, so that the row with its warning takes the focus, not a
   * button.
   */
  takesFocus: () => boolean;
  onCorrected: () => void;
  onDeclare: (dialog: Declaring['dialog']) => void;
  onChanged: () => void;
};

function RouteRow(props: RouteRowProps) {
  const { route, index, takesFocus, onCorrected, onDeclare, onChanged } = props;
  const row = useRef<HTMLLIElement>(null);
  const [isCorrecting, setCorrecting] = useState(false);
  useEffect(() => {
    if (takesFocus()) row.current?.focus();
  }, []);
  const { data } = useQuery(gitContextQuery);
  const seen = data?.routes[index];
  const shown = shownRepository(route.url);
  const fails =
    seen?.url === route.url &&
    ((seen.head === null && data?.reason === null) || seen.hindrance?.of === 'push');
  return (
    <li ref={row} tabIndex={-1}>
      <span class="tag">
        {route.label === undefined ? `${route.prefix}…` : `label ${route.label}`}
      </span>
      <div class="grow wrap">
        <p class="mono" title={route.url}>
          {shown}
          {route.default_branch !== undefined && (
            <span class="quiet"> @{route.default_branch}</span>
          )}
        </p>
        <Reached url={route.url} index={index} />
        <Declared route={route} />
        {isCorrecting && (
          <CorrectRoute
            {...{ route, index, onCorrected, onChanged }}
            onClose={() => setCorrecting(false)}
          />
        )}
      </div>
      {fails && !isCorrecting && (
        <Button small onClick={() => setCorrecting(true)}>
          Correct<span class="visually-hidden"> {shown}</span>
        </Button>
      )}
      <Button small onClick={() => onDeclare(ChecksDialog)}>
        Checks<span class="visually-hidden"> of {shown}</span>
      </Button>
      <Button small onClick={() => onDeclare(EvidenceDialog)}>
        Evidence<span class="visually-hidden"> of {shown}</span>
      </Button>
      <Button small onClick={() => onDeclare(ReviewDialog)}>
        Review<span class="visually-hidden"> of {shown}</span>
      </Button>
      <Button small onClick={() => onDeclare(MergeDialog)}>
        Merge<span class="visually-hidden"> of {shown}</span>
      </Button>
      <ConfirmButton
        label="Remove"
        about={shown}
        small
        question="Remove this route?"
        explanation={`Issues are no longer routed to ${shown}. Running attempts continue.`}
        confirmLabel="Remove"
        danger
        action={() => removeRepoRoute(index).finally(onChanged)}
      />
    </li>
  );
}

/** Number of a route's globs that are shown; its form has all of them. */
const GLOBS_SHOWN_MAX = 5;

/** A route's settings beside its address. */
function Declared({ route }: { route: RepoRoute }) {
  const { repository_servers: hasServers = false, secrets = [], checks = [] } = route;
  const { scope = [], artifacts, evidence } = route;
  const merge = mergeText(route);
  const review = reviewText(route);
  return (
    <>
      {hasServers && (
        <p class="quiet granted">
          <Icon name="engine" size={14} /> MCP servers of the repository are allowed
        </p>
      )}
      {secrets.map((grant) => (
        <p key={grantText(grant)} class="quiet granted">
          <Icon name="key" size={14} /> {grantText(grant)}
        </p>
      ))}
      {checks.length > 0 && (
        <p class="quiet granted">
          <Icon name="check" size={14} /> {plural(checks.length, 'check')}:{' '}
          {checks.map(({ name }) => name).join(', ')}
        </p>
      )}
      {scope.length > 0 && (
        <p class="quiet granted">
          <Icon name="filter" size={14} /> Scope: {scope.slice(0, GLOBS_SHOWN_MAX).join(', ')}
          {scope.length > GLOBS_SHOWN_MAX && ` and ${scope.length - GLOBS_SHOWN_MAX} more`}
        </p>
      )}
      {artifacts !== undefined && (
        <p class="quiet granted">
          <Icon name="file" size={14} /> Files in {artifacts} are kept for review
        </p>
      )}
      {evidence === 'full' && (
        <p class="quiet granted">
          <Icon name="pull" size={14} /> Full evidence in pull requests
        </p>
      )}
      {review !== null && (
        <p class="quiet granted">
          <Icon name="thought" size={14} /> {review}
        </p>
      )}
      {merge !== null && (
        <p class="quiet granted">
          <Icon name="merge" size={14} /> {merge}
        </p>
      )}
    </>
  );
}

/** A runner's result for the repository: its branches, or why they cannot be read. */
function Reached({ url, index }: { url: string; index: number }) {
  const { data, error } = useQuery(gitContextQuery);
  if (error !== null && data === undefined) return <p class="quiet">Status unavailable.</p>;
  if (data === undefined) return <p class="quiet">Checking</p>;
  const route = data.routes[index]?.url === url ? data.routes[index] : undefined;
  if (route === undefined) return null;
  if (route.head === null) {
    return (
      <p class="note warning" dir="auto">
        <Icon name="warning" size={14} />
        <span>{route.reason ?? data.reason ?? 'not reachable'}</span>
      </p>
    );
  }
  const count = data.branches.filter(({ repository }) => repository === url).length;
  const { hindrance } = route;
  return (
    <>
      {hindrance?.of !== 'push' && (
        <p class="quiet">
          <Badge tone="good">Reachable</Badge> default base <span class="mono">{route.head}</span>,{' '}
          {plural(count, 'branch', 'branches')}
          {route.reason !== null && ` · ${route.reason}`}
        </p>
      )}
      {hindrance !== null && <HindranceNote hindrance={hindrance} />}
    </>
  );
}
