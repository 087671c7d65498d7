import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { runtimeQuery } from '../../../api/queries.ts';
import { Icon } from '../../../ui/marks/icon.tsx';

/**
 * Warns on every page that no model works here, so that nobody mistakes the script's work for a
 * model's.
 */
export function TrialBanner() {
  const { data } = useQuery(runtimeQuery);
  if (data?.feature_flags['trial'] !== true) return null;
  return (
    <p class="banner demo" role="status">
      <Icon name="help" size={14} />
      <span>
        <strong>Trial without a model</strong>: a script answers in place of a model; all its work
        is marked.{' '}
        <Link to="/setup" search={{ step: 'provider' }}>
          Connect a provider
        </Link>
      </span>
    </p>
  );
}
