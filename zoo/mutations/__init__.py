"""The mutations: each plants one fault of one cause in a healthy program."""
