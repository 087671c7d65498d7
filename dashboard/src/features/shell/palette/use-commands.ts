import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { flushSync } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { localIssuesQuery, stateQuery } from '../../../api/queries.ts';
import type { IconName } from '../../../ui/marks/icon.tsx';
import { activeShortcuts } from '../../../ui/overlays/shortcuts.ts';
import { applyTheme } from '../../../ui/layout/theme.ts';
import { mergeIssues } from '../../board/merge-issues.ts';
import { useSavedViews } from '../../board/saved-views.ts';
import type { Command } from './find-commands.ts';
import { useGeneralActions } from './general-actions.ts';
import { VIEWS } from '../views.ts';

/** Commands from this page's own data: views, saved filters, actions, and loaded issues. */
export function useCommands(onClose: () => void): Command[] {
  const router = useRouter();
  const general = useGeneralActions();
  const savedViews = useSavedViews();
  const state = useQuery(stateQuery).data;
  const local = useQuery(localIssuesQuery).data;
  return useMemo(() => {
    const done = (run: () => unknown) => () => {
      // Closes synchronously, so that the command finds the focus where it was, for example on a
      // card.
      flushSync(onClose);
      run();
    };
    const views = VIEWS.map((view) => ({
      id: `view-${view.chord}`,
      label: view.label,
      hint: `g ${view.chord}`,
      icon: view.icon,
      run: done(() => router.navigate({ to: view.to })),
    }));
    const saved = savedViews.map(({ name, filter }) => ({
      id: `saved-${name}`,
      label: name,
      hint: 'saved view',
      icon: 'board' as IconName,
      run: done(() => router.navigate({ to: '/board', search: filter })),
    }));
    const actions = activeShortcuts()
      .filter((shortcut) => !/^(g .|\/)$/.test(shortcut.keys))
      .map((shortcut) => ({
        id: `key-${shortcut.keys.replaceAll(' ', '-')}`,
        label: shortcut.label,
        hint: shortcut.keys,
        icon: 'chevron' as IconName,
        run: done(shortcut.run),
      }));
    const themes = (['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme-${theme}`,
      label: `Theme: ${theme}`,
      hint: '',
      icon: theme === 'light' ? ('sun' as const) : theme === 'dark' ? ('moon' as const) : theme,
      run: done(() => applyTheme(theme)),
    }));
    const issues = mergeIssues(local?.issues ?? [], state).map((issue) => ({
      id: `issue-${issue.identifier}`,
      label: `${issue.identifier} ${issue.title}`,
      hint: issue.status,
      icon: issue.status,
      run: done(() =>
        router.navigate({ to: '/issues/$id', params: { id: issue.identifier }, search: {} }),
      ),
    }));
    const ways = general
      // On the board its own shortcut does the same.
      .filter(({ id }) => id !== 'do-new-issue' || actions.every((one) => one.id !== 'key-n'))
      .map((action) => ({ ...action, run: done(action.run) }));
    return [...views, ...saved, ...actions, ...ways, ...issues, ...themes];
  }, [router, general, savedViews, state, local, onClose]);
}
