import { Link } from '@tanstack/react-router';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/data/query-view.tsx';

export function PageNotFound() {
  return (
    <Page title="Not found">
      <EmptyState icon="branch" title="Page not found">
        <p>
          The address is wrong or the page was removed. <Link to="/">Go to the overview</Link>
        </p>
      </EmptyState>
    </Page>
  );
}
