import alone from './jest.config.mjs';

/** Official programs of MCP against the product (src/mcp-clients): docs/testing.md. */
export default {
  ...alone,
  testPathIgnorePatterns: [],
  testMatch: ['<rootDir>/src/mcp-clients/*.spec.ts'],
  testTimeout: 300_000,
};
