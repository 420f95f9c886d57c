"""`find` on a graph in parts: who may ask for it, what workers are told, and the model folder that they leave."""
