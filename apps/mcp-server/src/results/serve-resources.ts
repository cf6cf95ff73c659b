import { RESULTS_URI } from '@jinn/workspace';
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { capabilitiesOf } from '../client-facts.ts';
import { RESULT_TEMPLATE, type Results } from './results.ts';
import { showsPages, type ViewResource } from './view-resource.ts';

/** Registers the request handlers for the resources: long results, and the page for hosts that show one. */
export function serveResources(server: Server, results: Results, view: ViewResource | undefined): void {
  server.setRequestHandler('resources/list', (_, ctx) => ({
    resources: view && showsPages(capabilitiesOf(server, ctx)) ? [view.listed] : [],
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [RESULT_TEMPLATE] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) => {
    if (view?.has(uri)) return view.read(uri);
    const contents = results.read(uri, ctx);
    if (contents) return { contents: [contents] };
    const why = uri.startsWith(RESULTS_URI)
      ? '; what is kept of a long answer is here for a day at most, on the server that gave the answer: make that call again'
      : '';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}${why}`, { uri });
  });
}
