import type { ClientCapabilities } from 'vscode-languageserver-protocol';

const SYMBOL_KINDS = Array.from({ length: 26 }, (_, i) => i + 1) as never[];

/** The capabilities that servers see. Nothing is offered that is not handled. */
export const CLIENT_CAPABILITIES: ClientCapabilities = {
  general: {
    positionEncodings: ['utf-16', 'utf-8'],
    staleRequestSupport: { cancel: true, retryOnContentModified: [] },
  },
  window: { workDoneProgress: true, showMessage: {}, showDocument: { support: false } },
  workspace: {
    applyEdit: true,
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    executeCommand: {},
    symbol: { symbolKind: { valueSet: SYMBOL_KINDS }, resolveSupport: { properties: ['location.range'] } },
    diagnostics: { refreshSupport: true },
    workspaceEdit: {
      documentChanges: true,
      resourceOperations: ['create', 'rename', 'delete'],
      failureHandling: 'abort',
      changeAnnotationSupport: {},
    },
  },
  textDocument: {
    synchronization: { didSave: true },
    definition: { linkSupport: true },
    declaration: { linkSupport: true },
    typeDefinition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    callHierarchy: {},
    formatting: {},
    hover: { contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true, symbolKind: { valueSet: SYMBOL_KINDS } },
    rename: { prepareSupport: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
    codeAction: {
      codeActionLiteralSupport: {
        codeActionKind: { valueSet: ['', 'quickfix', 'refactor', 'source', 'source.organizeImports', 'source.fixAll'] },
      },
      dataSupport: true,
      disabledSupport: true,
      resolveSupport: { properties: ['edit'] },
    },
  },
  experimental: { serverStatusNotification: true },
};
