import { Id, Text } from '../fields/index.js';

/** Data of `integration.test`. */
export class IntegrationTest {
  @Text('A sentence for whoever reads it.', { max: 200 })
  message!: string;

  @Id('whk', 'The one subscription that was tested; null for all of the workspace.', {
    nullable: true,
  })
  webhookId!: string | null;
}
